// Verdicts on a schedule: from the sizes and the contract's faults to the rules' named types.
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/analysis/channel.hpp"
#include "backstitch/analysis/contract.hpp"
#include "backstitch/analysis/fault.hpp"
#include "backstitch/schedule/placement.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/timetable.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace backstitch::detail {

// What is proven within the default limits of every compiler, so that our own sentence comes before
// theirs: work of all ranks together, and one rank's list with its messages, which is one constant
// evaluation. Early receives cost more.
inline constexpr int max_actions = 98304;
inline constexpr int max_entries_of_late_rank = 24576;
inline constexpr int max_entries_of_early_rank = 16384;
// Of a generator that lays out all ranks in one constant evaluation.
inline constexpr int max_actions_at_once = 16384;
inline constexpr int max_ranks = 256;

template <class Setup>
constexpr precondition broken_size() {
  return check_sizes<typename Setup::policy>(Setup::sizes);
}

template <class Policy, class Setup>
constexpr auto verdict_on_precondition() {
  constexpr precondition c = broken_size<Setup>();
  using needed = error::needed<c.needed>;
  using got = error::got<c.got>;
  using factor = error::multiple_of<c.needed>;
  using nearest = error::nearest<c.nearest>;
  if constexpr (c.broken == size_rule::none) {
    return type_is<error::accepted>{};
  } else if constexpr (c.broken == size_rule::micro_batches_at_least) {
    return type_is<error::too_few_micro_batches<Policy, needed, got,
                                                error::try_instead<alternative_to<Policy>>>>{};
  } else if constexpr (c.broken == size_rule::micro_batches_multiple_of) {
    return type_is<error::micro_batches_not_a_multiple<Policy, factor, got, nearest>>{};
  } else if constexpr (c.broken == size_rule::ranks_at_least) {
    return type_is<error::too_few_ranks<Policy, needed, got>>{};
  } else if constexpr (c.broken == size_rule::ranks_multiple_of) {
    return type_is<error::ranks_not_a_multiple<Policy, factor, got, nearest>>{};
  } else if constexpr (c.broken == size_rule::group_at_least) {
    return type_is<error::group_too_small<Policy, needed, got>>{};
  } else if constexpr (c.broken == size_rule::group_at_most) {
    return type_is<error::group_too_large<Policy, error::at_most<c.needed>, got>>{};
  } else if constexpr (c.broken == size_rule::last_group_at_least) {
    return type_is<error::last_group_too_small<Policy, needed, got, nearest>>{};
  } else {
    return type_is<error::stages_not_a_multiple<Policy, factor, got, nearest>>{};
  }
}

constexpr int clamp_to_int(long long n) {
  return n > 2000000000 ? 2000000000 : static_cast<int>(n);
}

// The sizes as they stand in the arguments, before anything is made of them. `M`: as the lists
// count.
template <class Policy, int R, int S, int M>
constexpr auto verdict_on_sizes() {
  constexpr int smallest_parameter = [] {
    int least = chunks_of<Policy>();
    least = pipes_of<Policy>() < least ? pipes_of<Policy>() : least;
    return sequence_splits_of<Policy>() < least ? sequence_splits_of<Policy>() : least;
  }();
  constexpr int per_stage = is_forward_only<Policy>() ? 1 : splits_backward<Policy>() ? 3 : 2;
  constexpr int pipes = pipes_of<Policy>() > 0 ? pipes_of<Policy>() : 1;
  constexpr long long all = static_cast<long long>(S) * (M / pipes) * per_stage;
  // Each F and B comes with a receive and a send.
  constexpr int ends = R == 1 ? 0 : is_forward_only<Policy>() ? 2 : 4;
  constexpr long long of_rank = all / R * (per_stage + ends) / per_stage;
  constexpr int most_of_rank =
      S == R && pipes == 1 ? max_entries_of_late_rank : max_entries_of_early_rank;
  constexpr bool at_once = !generates_per_rank<Policy>;
  if constexpr (smallest_parameter < 1) {
    return type_is<error::policy_parameter_too_small<Policy, error::needed<1>,
                                                     error::got<smallest_parameter>>>{};
  } else if constexpr (M < 1) {
    return type_is<error::zero_micro_batches<Policy, error::got<M>>>{};
  } else if constexpr (R > max_ranks) {
    return type_is<error::too_many_ranks<Policy, error::at_most<max_ranks>, error::got<R>>>{};
  } else if constexpr (all > (at_once ? max_actions_at_once : max_actions)) {
    return type_is<
        error::too_many_actions<Policy, error::at_most<at_once ? max_actions_at_once : max_actions>,
                                error::got<clamp_to_int(all)>>>{};
  } else if constexpr (of_rank > most_of_rank) {
    return type_is<error::too_many_actions<Policy, error::at_most<most_of_rank>,
                                           error::got<clamp_to_int(of_rank)>>>{};
  } else if constexpr (M % pipes != 0) {
    return type_is < error::micro_batches_not_a_multiple<
                         Policy, error::multiple_of<pipes>, error::got<M>,
                         error::nearest<M<pipes ? pipes : M / pipes * pipes>>>{};
  } else {
    return type_is<error::accepted>{};
  }
}

// Where the stages stand.
template <class Setup>
constexpr int first_stage_on_no_rank() {
  for (int s = 0; s < Setup::stages; ++s) {
    if (Setup::rank_of(s) < 0 || Setup::rank_of(s) >= Setup::ranks) return s;
  }
  return -1;
}
template <class Setup>
constexpr int first_uneven_rank(int needed) {
  for (int r = 0; r < Setup::ranks; ++r) {
    if (Setup::placed.count[r] != needed) return r;
  }
  return -1;
}
template <class Setup, class Placement>
constexpr auto verdict_on_placement() {
  constexpr int lost = first_stage_on_no_rank<Setup>();
  if constexpr (lost >= 0) {
    return type_is<
        error::stage_on_no_rank<Placement, error::in_stage<lost>, error::got<Setup::rank_of(lost)>,
                                error::at_most<Setup::ranks - 1>>>{};
  } else {
    constexpr int needed = Setup::stages / Setup::ranks;
    constexpr int uneven = first_uneven_rank<Setup>(needed);
    if constexpr (uneven >= 0) {
      return type_is<
          error::uneven_placement<Placement, error::on_rank<uneven>, error::needed<needed>,
                                  error::got<Setup::placed.count[uneven]>>>{};
    } else {
      return type_is<error::accepted>{};
    }
  }
}

// Whether the generator runs in a constant expression.
template <class Setup>
constexpr int probe_generator() {
  if constexpr (generates_per_rank<typename Setup::policy>) {
    return generate_rank<Setup, 0>().count;
  } else {
    return generate_all<Setup>().count[0];
  }
}
template <class Setup>
concept constant_generator = requires {
  typename std::integral_constant<int, probe_generator<Setup>()>;
};

template <class Policy, class Fault, std::size_t... Is>
constexpr auto cycle_of(std::index_sequence<Is...>) {
  return type_is<error::waiting<Fault::value.cycle[Is]...>>{};
}

// A fault, as a type with a static `value`, to the rule's type.
template <class Policy, class Fault>
constexpr auto verdict_on_fault() {
  constexpr fault f = Fault::value;
  using rank = error::on_rank<f.rank>;
  using slot = error::at_slot<f.slot>;
  using stage = error::in_stage<f.stage>;
  using micro_batch = error::for_micro_batch<f.micro_batch>;
  if constexpr (f.broken == rule::none) {
    return type_is<error::accepted>{};
  } else if constexpr (f.broken == rule::foreign_action) {
    return type_is<error::foreign_action<Policy, rank, slot, stage, micro_batch>>{};
  } else if constexpr (f.broken == rule::work_done_twice) {
    return type_is<error::work_done_twice<Policy, rank, slot, stage, micro_batch>>{};
  } else if constexpr (f.broken == rule::mixed_backward) {
    return type_is<error::mixed_backward<Policy, rank, slot, stage, micro_batch>>{};
  } else if constexpr (f.broken == rule::work_missing) {
    return type_is<error::work_missing<Policy, rank, stage, micro_batch>>{};
  } else if constexpr (f.broken == rule::backward_before_forward) {
    return type_is<error::backward_before_forward<Policy, rank, slot, stage, micro_batch>>{};
  } else if constexpr (f.broken == rule::weight_before_input) {
    return type_is<error::weight_before_input<Policy, rank, slot, stage, micro_batch>>{};
  } else {
    // The other rules are about messages and updates, which the lowering writes; with early
    // receives both ends of a channel always list its messages alike.
    static_assert(f.broken == rule::deadlock);
    constexpr int shown = f.waiting < 8 ? f.waiting : 8;
    using cycle =
        typename decltype(cycle_of<Policy, Fault>(std::make_index_sequence<extent(shown)>{}))::type;
    return type_is<error::deadlock<Policy, rank, slot, stage, micro_batch, cycle>>{};
  }
}

template <class Setup>
struct work_fault {
  static constexpr fault value = work_rules<Setup>::first;
};

// The policy's own bound on what a rank holds.
template <class Setup>
constexpr int first_rank_over_cap() {
  if constexpr (requires { Setup::policy::max_in_flight(Setup::sizes, 0); }) {
    for (int r = 0; r < Setup::ranks; ++r) {
      if (work_rules<Setup>::peaks.at[r] > Setup::policy::max_in_flight(Setup::sizes, r)) return r;
    }
  }
  return -1;
}

template <class Setup>
constexpr auto verdict_on_work() {
  using policy = typename Setup::policy;
  if constexpr (!constant_generator<Setup>) {
    return type_is<error::generator_not_constant<policy>>{};
  } else {
    using on_rules = typename decltype(verdict_on_fault<policy, work_fault<Setup>>())::type;
    if constexpr (!std::is_same_v<on_rules, error::accepted>) {
      return type_is<on_rules>{};
    } else {
      constexpr int over = first_rank_over_cap<Setup>();
      if constexpr (over < 0) {
        return type_is<error::accepted>{};
      } else {
        return type_is<error::too_many_in_flight<
            policy, error::on_rank<over>, error::at_most<policy::max_in_flight(Setup::sizes, over)>,
            error::got<work_rules<Setup>::peaks.at[over]>>>{};
      }
    }
  }
}

// Late receives hold the least memory. They suit schedules with one stage per rank; where a rank
// has several, its other stages would wait for them, and under them a sender of a skip edge would
// wait until the far stage gets to that micro-batch. So those take early receives, and so does a
// schedule that would deadlock with late ones.
template <class Setup, class Links, class Channel>
constexpr bool receives_can_be_late() {
  if constexpr (Setup::sizes.chunks > 1 || has_skip_link(program_of<Setup, Links>::links)) {
    return false;
  } else {
    return contract<Setup, Links, late_lowering<Setup, Links>, Channel>::first.broken == rule::none;
  }
}
template <class Setup, class Links, class Channel>
inline constexpr bool receives_late_v = receives_can_be_late<Setup, Links, Channel>();
template <class Setup, class Links, class Channel>
using lowering_of =
    std::conditional_t<receives_late_v<Setup, Links, Channel>, late_lowering<Setup, Links>,
                       together_lowering<Setup, Links>>;

template <class Setup, class Links, class Channel>
struct program_fault {
  static constexpr fault value =
      contract<Setup, Links, together_lowering<Setup, Links>, Channel>::first;
};
template <class Setup, class Links, class Channel>
constexpr auto verdict_on_messages() {
  if constexpr (receives_late_v<Setup, Links, Channel>) {
    return type_is<error::accepted>{};
  } else {
    return verdict_on_fault<typename Setup::policy, program_fault<Setup, Links, Channel>>();
  }
}

template <class Setup, class Placement, class Links, class Channel>
constexpr auto verdict_on_setup() {
  using on_placement = typename decltype(verdict_on_placement<Setup, Placement>())::type;
  if constexpr (!std::is_same_v<on_placement, error::accepted>) {
    return type_is<on_placement>{};
  } else {
    using on_sizes =
        typename decltype(verdict_on_precondition<typename Setup::policy, Setup>())::type;
    if constexpr (!std::is_same_v<on_sizes, error::accepted>) {
      return type_is<on_sizes>{};
    } else {
      using on_work = typename decltype(verdict_on_work<Setup>())::type;
      if constexpr (!std::is_same_v<on_work, error::accepted>) {
        return type_is<on_work>{};
      } else {
        return verdict_on_messages<Setup, Links, Channel>();
      }
    }
  }
}

// error::accepted, or the first rule that the schedule breaks.
template <class Policy, int R, int S, int M, class Placement, class Links, class Channel>
constexpr auto verdict_on_schedule() {
  using on_sizes = typename decltype(verdict_on_sizes<Policy, R, S, M>())::type;
  if constexpr (!std::is_same_v<on_sizes, error::accepted>) {
    return type_is<on_sizes>{};
  } else {
    return verdict_on_setup<setup<Policy, R, S, M, Placement>, Placement, Links, Channel>();
  }
}

}  // namespace backstitch::detail
