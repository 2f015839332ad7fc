// plan<Pipeline, Policy, micro_batches<M>>: the one entry. It checks the model and the schedule,
// once, and owns everything that is known at compile time about a step.
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/analysis/schedule.hpp"
#include "backstitch/model/edges.hpp"
#include "backstitch/program/links.hpp"
#include "backstitch/program/liveness.hpp"
#include "backstitch/program/memory.hpp"
#include "backstitch/program/reroll.hpp"

#include <cstddef>
#include <type_traits>

namespace backstitch {
namespace detail {

template <class T>
inline constexpr bool is_memory_policy =
    std::is_same_v<T, memory::reuse> || std::is_same_v<T, memory::keep>;

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

// The first op of a stage that counts on forwards in micro-batch order: it updates a buffer, or it
// is a learning-rate op, which runs with micro-batch 0 and before the others. -1: none.
template <class Pipeline>
constexpr int op_that_needs_order(int stage) {
  const auto& model = model_v<Pipeline>;
  for (int i = model.first_op[stage]; i < model.first_op[stage + 1]; ++i) {
    if (model.op[i].group == op_group::lr_schedule) return i;
    for (int a = model.op[i].first_access; a < model.op[i].first_access + model.op[i].accesses;
         ++a) {
      const access_row& row = model.access[a];
      if (model.variable[row.variable].kind == variable_kind::buffer &&
          row.access == access_kind::inout) {
        return i;
      }
    }
  }
  return -1;
}

struct disorder {
  int op = -1;  // -1: none
  int rank = 0;
  int slot = 0;
};
template <class Pipeline, class Table>
constexpr disorder find_disorder(const Table& t) {
  for (int r = 0; r < Table::ranks; ++r) {
    const int op = op_that_needs_order<Pipeline>(r);
    for (int i = 0, next = 0; op >= 0 && i < t.count[r]; ++i) {
      if (t.list[r][i].kind != action_kind::forward) continue;
      if (t.list[r][i].micro_batch != next++) return {op, r, i};
    }
  }
  return {};
}

template <class Pipeline, class Policy, int R, int M>
constexpr auto verdict_on_forward_order() {
  constexpr disorder found = find_disorder<Pipeline>(timetable_v<Policy, R, M>);
  if constexpr (found.op < 0) {
    return type_is<error::accepted>{};
  } else {
    return type_is<
        error::forwards_out_of_order<Policy, op_at<Pipeline, found.op>, error::on_rank<found.rank>,
                                     error::at_slot<found.slot>>>{};
  }
}

template <class Pipeline, class Policy, int M>
constexpr auto verdict_on_schedule_of() {
  constexpr int R = stage_count<Pipeline>;
  using on_schedule =
      typename decltype(verdict_on_schedule<Policy, R, M, links_of<Pipeline>>())::type;
  if constexpr (!std::is_same_v<on_schedule, error::accepted>) {
    return type_is<on_schedule>{};
  } else {
    return verdict_on_forward_order<Pipeline, Policy, R, M>();
  }
}

// The first broken rule, outermost first: arguments, model, memory, schedule.
template <class Pipeline, class Policy, class MicroBatches, class Memory>
constexpr auto verdict_on_plan() {
  using on_arguments = typename decltype(verdict_on_arguments<Policy, MicroBatches>())::type;
  if constexpr (!std::is_same_v<on_arguments, error::accepted>) {
    return type_is<on_arguments>{};
  } else if constexpr (!is_memory_policy<Memory>) {
    return type_is<error::not_a_memory_policy<Memory>>{};
  } else {
    using on_model = model_verdict<Pipeline>;
    if constexpr (!std::is_same_v<on_model, error::accepted>) {
      return type_is<on_model>{};
    } else {
      using on_memory = typename decltype(verdict_on_memory<Pipeline, Memory>())::type;
      if constexpr (!std::is_same_v<on_memory, error::accepted>) {
        return type_is<on_memory>{};
      } else {
        return verdict_on_schedule_of<Pipeline, Policy, MicroBatches::value>();
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
  constexpr const auto& model = model_v<typename Plan::pipeline_type>;
  constexpr const auto& edges = edges_v<typename Plan::pipeline_type>;
  constexpr const auto& joined = joined_v<typename Plan::pipeline_type>;
  constexpr const auto& table = Plan::lowered();
  constexpr int uses = model.uses + 1;
  constexpr slot_planner<Plan::stages, Plan::micro_batches, uses, edges.count + 1,
                         std::remove_cvref_t<decltype(model)>, std::remove_cvref_t<decltype(edges)>,
                         std::remove_cvref_t<decltype(joined)>,
                         std::remove_cvref_t<decltype(table)>>
      planner{model,
              edges,
              joined,
              table,
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
inline constexpr const auto& slots_v = slots_up_to_v<Plan, SharedMemory, Plan::stages - 1>;

// Whether a stage has learning-rate ops, which run with the forward of micro-batch 0.
template <class Pipeline>
constexpr bool has_lr_ops(int stage) {
  for (int i = model_v<Pipeline>.first_op[stage]; i < model_v<Pipeline>.first_op[stage + 1]; ++i) {
    if (model_v<Pipeline>.op[i].group == op_group::lr_schedule) return true;
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

// At their exact number, so that the table that the loops read is small.
template <class Plan, int Rank>
constexpr auto find_segments() {
  constexpr auto all = reroll<Plan::lowered().count[Rank] + 1>(
      Plan::lowered(), Rank, has_lr_ops<typename Plan::pipeline_type>(Rank));
  segment_list<all.count> out;
  for (; out.count < all.count; ++out.count) out.at[out.count] = all.at[out.count];
  return out;
}
template <class Plan, int Rank>
inline constexpr auto segments_v = find_segments<Plan, Rank>();

}  // namespace detail

template <class Pipeline, class Policy, class MicroBatches, class Memory = memory::reuse>
class plan;

namespace detail {

template <class Plan>
struct verdict_of {
  using type = error::not_a_plan<Plan>;
};
template <class Pipeline, class Policy, class MicroBatches, class Memory>
struct verdict_of<plan<Pipeline, Policy, MicroBatches, Memory>> {
  using type = typename decltype(verdict_on_plan<Pipeline, Policy, MicroBatches, Memory>())::type;
};
template <class Plan>
using plan_verdict = typename verdict_of<Plan>::type;
// Asked of the plan's arguments, so that a refused plan is not instantiated to find out.
template <class Plan>
concept refused_plan = refused<plan_verdict<Plan>>;

}  // namespace detail

// A model under a schedule, proven. Every member is a constant.
//
// Pipeline: pipeline<stage<ops...>, ...>. Policy: one_f_one_b, f_then_b, ... Memory: memory::reuse
// or memory::keep. One rank per stage. Checked where it is first used (an alias uses nothing); a
// broken rule is one error that names it (error.hpp).
template <class Pipeline, class Policy, class MicroBatches, class Memory>
class plan : public detail::proven_schedule<Policy, detail::stage_count<Pipeline>,
                                            MicroBatches::value, detail::links_of<Pipeline>> {
 public:
  using pipeline_type = Pipeline;   // the model
  using memory_type = Memory;       // memory::reuse or memory::keep
  static constexpr bool ok = true;  // false for a plan that breaks a rule
  static constexpr int stages = detail::stage_count<Pipeline>;  // stages of the model

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
template <class Pipeline, class Policy, class MicroBatches, class Memory>
  requires detail::refused_plan<plan<Pipeline, Policy, MicroBatches, Memory>>
class plan<Pipeline, Policy, MicroBatches, Memory> : public detail::refused_schedule {
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
