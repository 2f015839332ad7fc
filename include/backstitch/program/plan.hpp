// plan<Pipeline, Policy, micro_batches<M>>: the one entry. It checks the model and the schedule,
// once, and owns everything that is known at compile time about a step.
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/analysis/options.hpp"
#include "backstitch/analysis/schedule.hpp"
#include "backstitch/model/copies.hpp"
#include "backstitch/model/edges.hpp"
#include "backstitch/program/fit.hpp"
#include "backstitch/program/links.hpp"
#include "backstitch/program/liveness.hpp"
#include "backstitch/program/memory.hpp"
#include "backstitch/program/reroll.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace backstitch {
namespace detail {

template <class T>
inline constexpr bool is_memory_policy =
    std::is_same_v<T, memory::reuse> || std::is_same_v<T, memory::keep>;

template <class T>
using is_memory = std::bool_constant<is_memory_policy<T>>;

// memory::keep leaves every value in place, so one that crosses must be copied.
template <class Pipeline, class Memory>
constexpr int first_uncopied_edge() {
  const auto& edges = edges_v<Pipeline>;
  for (int e = 0; e < edges.count && std::is_same_v<Memory, memory::keep>; ++e) {
    if (!model_v<Pipeline>.variable[edges.edge[e].variable].value.copyable) return e;
  }
  return -1;
}

template <class Pipeline, class Memory>
constexpr auto verdict_on_memory() {
  constexpr int e = first_uncopied_edge<Pipeline, Memory>();
  if constexpr (e < 0) {
    return type_is<error::accepted>{};
  } else {
    constexpr edge_row edge = edges_v<Pipeline>.edge[e];
    return type_is<
        error::edge_not_transferable<variable_at<Pipeline, edge.variable>,
                                     error::in_stage<edge.from>, error::in_stage<edge.to>>>{};
  }
}

// A plan's arguments as sizes and types.
template <class Pipeline, class Policy, class MicroBatches, class... Options>
struct plan_arguments {
  static constexpr int pipes = pipes_of<Policy>() < 1 ? 1 : pipes_of<Policy>();
  static constexpr int chunks = chunks_of<Policy>() < 1 ? 1 : chunks_of<Policy>();
  static constexpr int model_stages = stage_count<Pipeline>;
  static constexpr int ranks = pipes > 1 ? model_stages : model_stages / chunks;
  static constexpr int stages = model_stages * pipes;
  static constexpr int micro_batches = MicroBatches::value * sequence_splits_of<Policy>();
  using memory = option_or<is_memory, backstitch::memory::reuse, Options...>;
  using placement =
      option_or<is_placement, typename decltype(placement_of<Policy>())::type, Options...>;
  using channel = option_or<is_channel, channel::rendezvous, Options...>;
  using model = program_model_of<Pipeline, pipes, is_forward_only<Policy>()>;
  using setup_type = setup<Policy, ranks, stages, micro_batches, placement>;
  using links = links_of<model>;
};

template <class Arguments, class Pipeline, class Policy>
constexpr auto verdict_on_schedule_of() {
  constexpr int chunks = Arguments::chunks, stages = Arguments::model_stages;
  if constexpr (Arguments::pipes == 1 && stages % chunks != 0) {
    constexpr int below = stages / chunks * chunks;
    constexpr int nearest =
        below == 0 || stages - below > below + chunks - stages ? below + chunks : below;
    return type_is<error::stages_not_a_multiple<Policy, error::multiple_of<chunks>,
                                                error::got<stages>, error::nearest<nearest>>>{};
  } else {
    using on_schedule =
        typename decltype(verdict_on_schedule<
                          Policy, Arguments::ranks, Arguments::stages, Arguments::micro_batches,
                          typename Arguments::placement, typename Arguments::links,
                          typename Arguments::channel>())::type;
    if constexpr (!std::is_same_v<on_schedule, error::accepted>) {
      return type_is<on_schedule>{};
    } else {
      return verdict_on_forward_order<typename Arguments::setup_type, typename Arguments::model>();
    }
  }
}

// The first broken rule, outermost first: arguments, model, memory, schedule.
template <class Pipeline, class Policy, class MicroBatches, class... Options>
constexpr auto verdict_on_plan() {
  using on_types = typename decltype(verdict_on_arguments<Policy, MicroBatches>())::type;
  using on_options =
      typename decltype(option_kinds<is_memory, is_placement,
                                     is_channel>::template verdict<Options...>())::type;
  if constexpr (!std::is_same_v<on_types, error::accepted>) {
    return type_is<on_types>{};
  } else if constexpr (!std::is_same_v<on_options, error::accepted>) {
    return type_is<on_options>{};
  } else {
    using on_model = model_verdict<Pipeline>;
    if constexpr (!std::is_same_v<on_model, error::accepted>) {
      return type_is<on_model>{};
    } else {
      using arguments = plan_arguments<Pipeline, Policy, MicroBatches, Options...>;
      using on_memory =
          typename decltype(verdict_on_memory<Pipeline, typename arguments::memory>())::type;
      if constexpr (!std::is_same_v<on_memory, error::accepted>) {
        return type_is<on_memory>{};
      } else {
        using on_fit = typename decltype(verdict_on_fit<Pipeline, Policy>())::type;
        if constexpr (!std::is_same_v<on_fit, error::accepted>) {
          return type_is<on_fit>{};
        } else {
          return verdict_on_schedule_of<arguments, Pipeline, Policy>();
        }
      }
    }
  }
}

template <class Plan, bool SharedMemory, int Stage>
constexpr auto plan_slots();
template <class Plan, bool SharedMemory, int Stage>
inline constexpr auto slots_up_to_v = plan_slots<Plan, SharedMemory, Stage>();

// Slots of every use, for the stages up to `Stage`. `SharedMemory`: ranks may read each other's
// slots, as threads do.
template <class Plan, bool SharedMemory, int Stage>
constexpr auto plan_slots() {
  constexpr const auto& model = model_v<typename Plan::model_type>;
  constexpr const auto& edges = edges_v<typename Plan::model_type>;
  constexpr const auto& joined = joined_v<typename Plan::model_type>;
  constexpr int uses = model.uses + 1;
  constexpr slot_planner<typename Plan::setup_type, uses, edges.count + 1,
                         std::remove_cvref_t<decltype(model)>, std::remove_cvref_t<decltype(edges)>,
                         std::remove_cvref_t<decltype(joined)>>
      planner{model,
              edges,
              joined,
              Plan::lowered().view(),
              std::is_same_v<typename Plan::memory_type, memory::keep>,
              SharedMemory};
  if constexpr (Stage == 0) {
    slot_list<uses> out;
    planner.plan_stage(0, out);
    return out;
  } else {
    slot_list<uses> out = slots_up_to_v<Plan, SharedMemory, Stage - 1>;
    planner.plan_stage(Stage, out);
    return out;
  }
}
template <class Plan, bool SharedMemory>
inline constexpr const auto& slots_v = slots_up_to_v<Plan, SharedMemory, Plan::sizes().stages - 1>;

// Whether a stage has learning-rate ops, which run with the forward of its first micro-batch.
template <class Model>
constexpr bool has_lr_ops(int stage) {
  if (runs_forward_only<Model>) return false;
  for (int i = model_v<Model>.first_op[stage]; i < model_v<Model>.first_op[stage + 1]; ++i) {
    if (model_v<Model>.op[i].group == op_group::lr_schedule) return true;
  }
  return false;
}

template <class Pipeline, class V, int Stage>
constexpr auto verdict_on_slots() {
  constexpr int stages = stage_count<Pipeline>;
  if constexpr (variable_number<Pipeline, V> < 0) {
    return type_is<error::variable_not_in_plan<V>>{};
  } else if constexpr (Stage < 0 || Stage >= stages) {
    return type_is<error::no_such_stage<error::got<Stage>, error::below<stages>>>{};
  } else {
    return type_is<error::accepted>{};
  }
}
template <class Pipeline, class V, int Stage>
using slot_verdict = typename decltype(verdict_on_slots<Pipeline, V, Stage>())::type;

// Whether an action also runs the learning-rate ops of its stage.
template <class Plan>
struct runs_lr {
  static constexpr bool test(const action& a) {
    return a.kind == action_kind::forward &&
           a.micro_batch == Plan::sizes().first_micro_batch(a.stage) &&
           has_lr_ops<typename Plan::model_type>(a.stage);
  }
};

// At their exact number, so that the table that the loops read is small.
template <class Plan, int Rank>
constexpr auto find_segments() {
  constexpr auto all =
      reroll<Plan::lowered().count[Rank] + 1, runs_lr<Plan>>(Plan::lowered(), Rank);
  segment_list<all.count> out;
  for (; out.count < all.count; ++out.count) out.at[out.count] = all.at[out.count];
  return out;
}
template <class Plan, int Rank>
inline constexpr auto segments_v = find_segments<Plan, Rank>();

}  // namespace detail

template <class Pipeline, class Policy, class MicroBatches, class... Options>
class plan;

namespace detail {

template <class Plan>
struct verdict_of {
  using type = error::not_a_plan<Plan>;
};
template <class Pipeline, class Policy, class MicroBatches, class... Options>
struct verdict_of<plan<Pipeline, Policy, MicroBatches, Options...>> {
  using type =
      typename decltype(verdict_on_plan<Pipeline, Policy, MicroBatches, Options...>())::type;
};
template <class Plan>
using plan_verdict = typename verdict_of<Plan>::type;
// Asked of the plan's arguments, so that a refused plan is not instantiated to find out.
template <class Plan>
concept refused_plan = refused<plan_verdict<Plan>>;

}  // namespace detail

// A model under a schedule, proven. Every member is a constant.
//
// Pipeline: pipeline<stage<ops...>, ...>. Policy: one_f_one_b, interleaved<2>, ... Options, in any
// order: memory::reuse or memory::keep, a placement, a channel model. A policy with V stages per
// rank has S / V ranks. Checked where it is first used (an alias uses nothing); a broken rule is
// one error that names it (error.hpp).
template <class Pipeline, class Policy, class MicroBatches, class... Options>
class plan
    : public detail::proven_schedule<
          typename detail::plan_arguments<Pipeline, Policy, MicroBatches, Options...>::setup_type,
          typename detail::plan_arguments<Pipeline, Policy, MicroBatches, Options...>::links,
          typename detail::plan_arguments<Pipeline, Policy, MicroBatches, Options...>::channel> {
  using arguments = detail::plan_arguments<Pipeline, Policy, MicroBatches, Options...>;

 public:
  using pipeline_type = Pipeline;                         // the model
  using model_type = typename arguments::model;           // the model as the schedule runs it
  using memory_type = typename arguments::memory;         // memory::reuse or memory::keep
  using setup_type = typename arguments::setup_type;      // policy, sizes and placement
  static constexpr bool ok = true;                        // false for a plan that breaks a rule
  static constexpr int stages = arguments::model_stages;  // stages of the model

  // Values of V that stage `Stage` holds at once: the slots that are allocated for it. 0 where the
  // stage has none or reads another stage's slot in place (SharedMemory only).
  template <class V, int Stage, bool SharedMemory = true>
  static constexpr int slot_count() {
    constexpr int v = detail::variable_number<Pipeline, V>;
    constexpr int u = detail::model_v<Pipeline>.find_use(v, Stage);
    if constexpr (u >= 0) {
      return detail::slots_v<plan, SharedMemory>.use[u].count;
    } else {
      return 0;
    }
  }
  // Of a variable or stage that the plan does not have: one error.
  template <class V, int Stage, bool SharedMemory = true>
    requires detail::refused<detail::slot_verdict<Pipeline, V, Stage>>
  static constexpr auto slot_count() {
    static_assert(sizeof(error::require<detail::slot_verdict<Pipeline, V, Stage>>) != 0);
    return detail::any_number{};
  }
};

// @cond refused
// A plan that breaks a rule: one error, and members that cause no second one.
template <class Pipeline, class Policy, class MicroBatches, class... Options>
  requires detail::refused_plan<plan<Pipeline, Policy, MicroBatches, Options...>>
class plan<Pipeline, Policy, MicroBatches, Options...> : public detail::refused_schedule {
  // Names the broken rule on the first error line.
  using checked = std::bool_constant<sizeof(error::require<detail::plan_verdict<plan>>) != 0>;

 public:
  static constexpr bool ok = false;
  static constexpr int stages = 1;
  template <class V, int Stage, bool SharedMemory = true>
  static constexpr detail::any_number slot_count() {
    return {};
  }
};
// @endcond

}  // namespace backstitch
