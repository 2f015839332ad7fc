// schedule<Policy, ranks<R>, micro_batches<M>, options...>: a policy at given sizes, proven,
// without ops.
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/analysis/contract.hpp"
#include "backstitch/analysis/figures.hpp"
#include "backstitch/analysis/no_such_rank.hpp"
#include "backstitch/analysis/options.hpp"
#include "backstitch/analysis/refused.hpp"
#include "backstitch/analysis/setup_rules.hpp"
#include "backstitch/schedule/policy.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace backstitch {
namespace detail {

// The links of plain chains, one per copy of the model.
template <int S, int Pipes, bool ForwardOnly>
struct chain {
  static constexpr auto value = chain_links<S>(Pipes, ForwardOnly);
};

// The types of the arguments, before any number is looked at.
template <class Policy, class MicroBatches>
constexpr auto verdict_on_arguments() {
  if constexpr (!schedule_policy<Policy>) {
    return type_is<error::not_a_policy<Policy>>{};
  } else if constexpr (!is_micro_batches<MicroBatches>) {
    return type_is<error::not_micro_batches<MicroBatches>>{};
  } else {
    return type_is<error::accepted>{};
  }
}

// A schedule's arguments as sizes. A policy with parameters out of range has one stage per rank
// here; the verdict on sizes refuses it.
template <class Policy, class Ranks, class MicroBatches, class... Options>
struct schedule_arguments {
  static constexpr int pipes = pipes_of<Policy>() < 1 ? 1 : pipes_of<Policy>();
  static constexpr int chunks = chunks_of<Policy>() < 1 ? 1 : chunks_of<Policy>();
  static constexpr int ranks = Ranks::value;
  static constexpr int stages = ranks * (pipes > 1 ? pipes : chunks);
  static constexpr int micro_batches = MicroBatches::value * sequence_splits_of<Policy>();
  using placement =
      option_or<is_placement, typename decltype(placement_of<Policy>())::type, Options...>;
  using channel = option_or<is_channel, channel::rendezvous, Options...>;
  using setup_type = setup<Policy, ranks, stages, micro_batches, placement>;
  using links = chain<stages, pipes, is_forward_only<Policy>()>;
};

template <class Policy, class Ranks, class MicroBatches, class... Options>
constexpr auto verdict_on_schedule_arguments() {
  using on_types = typename decltype(verdict_on_arguments<Policy, MicroBatches>())::type;
  using on_options =
      typename decltype(option_kinds<is_placement,
                                     is_channel>::template verdict<Options...>())::type;
  if constexpr (!std::is_same_v<on_types, error::accepted>) {
    return type_is<on_types>{};
  } else if constexpr (!is_ranks<Ranks>) {
    return type_is<error::not_ranks<Ranks>>{};
  } else if constexpr (!std::is_same_v<on_options, error::accepted>) {
    return type_is<on_options>{};
  } else if constexpr (Ranks::value > max_ranks) {
    return type_is<
        error::too_many_ranks<Policy, error::at_most<max_ranks>, error::got<Ranks::value>>>{};
  } else {
    using a = schedule_arguments<Policy, Ranks, MicroBatches, Options...>;
    return verdict_on_schedule<Policy, a::ranks, a::stages, a::micro_batches, typename a::placement,
                               typename a::links, typename a::channel>();
  }
}

template <class Policy, class Ranks, class MicroBatches, class... Options>
using schedule_verdict =
    typename decltype(verdict_on_schedule_arguments<Policy, Ranks, MicroBatches,
                                                    Options...>())::type;

// What a plan and a schedule tell of a proven program. Every member is a constant.
template <class Setup, class Links, class Channel>
class proven_schedule {
 protected:
  using program = program_of<Setup, Links>;

 public:
  using policy = typename Setup::policy;
  static constexpr int ranks = Setup::ranks;
  // What the lists count: micro-batches, or the pieces of them where the policy cuts sequences.
  static constexpr int micro_batches = Setup::micro_batches;
  // Copies of the model that run at once, more than 1 in bidirectional schedules.
  static constexpr int pipes = Setup::pipes;

  // The sizes, and who owns which stage.
  static constexpr const shape& sizes() { return Setup::sizes; }
  // The rank that owns a stage.
  static constexpr int rank_of(int stage) { return Setup::rank_of(stage); }
  // F, B, I and W of every rank, in order.
  static constexpr const auto& compute() { return work_v<Setup>; }
  // The same with sends, receives, reductions and updates: what a rank runs.
  static constexpr const auto& lowered() { return lowering_of<Setup, Links, Channel>::view; }
  // Most micro-batches between their F and their end at once, over all stages of the rank. Throws
  // no_such_rank.
  static constexpr int peak_in_flight(int rank) {
    return rank >= 0 && rank < ranks ? work_rules<Setup>::peaks.at[rank]
                                     : throw no_such_rank(rank, ranks);
  }
  // Figures under the given costs. O(work).
  static constexpr auto figures(costs c = {}) {
    schedule_figures<ranks> out;
    work_times<Setup::stages, micro_batches> times(Setup::sizes);
    out.makespan = time_work<ranks>(Setup::sizes, program::links, program::index, program::work, c,
                                    times, out.rank);
    return out;
  }
  // When each piece of work ends, and the makespan.
  struct timed {
    work_times<Setup::stages, micro_batches> times{Setup::sizes};
    int makespan = 0;
  };
  static timed timed_work(costs c) {
    timed out;
    rank_figures ranks_of[extent(ranks)] = {};
    out.makespan = time_work<ranks>(Setup::sizes, program::links, program::index, program::work, c,
                                    out.times, ranks_of);
    return out;
  }
  // Share of the step that the ranks idle with F = 1, B = 2, I = W = 1 and free communication:
  // 0 .. 1.
  static constexpr double ideal_bubble() { return figures().bubble(); }
};

}  // namespace detail

// A proven schedule over a chain of stages. Options: a placement, a channel model.
template <class Policy, class Ranks, class MicroBatches, class... Options>
class schedule
    : public detail::proven_schedule<
          typename detail::schedule_arguments<Policy, Ranks, MicroBatches, Options...>::setup_type,
          typename detail::schedule_arguments<Policy, Ranks, MicroBatches, Options...>::links,
          typename detail::schedule_arguments<Policy, Ranks, MicroBatches, Options...>::channel> {
 public:
  // Stages of all copies of the model together.
  static constexpr int stages =
      detail::schedule_arguments<Policy, Ranks, MicroBatches, Options...>::stages;
};

// A schedule that breaks a rule: one error.
template <class Policy, class Ranks, class MicroBatches, class... Options>
  requires detail::refused<detail::schedule_verdict<Policy, Ranks, MicroBatches, Options...>>
class schedule<Policy, Ranks, MicroBatches, Options...> : public detail::refused_schedule {
  // Names the broken rule on the first error line.
  using checked = std::bool_constant<
      sizeof(error::require<detail::schedule_verdict<Policy, Ranks, MicroBatches, Options...>>) !=
      0>;
};

}  // namespace backstitch
