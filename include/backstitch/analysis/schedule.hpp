// schedule<Policy, ranks<R>, micro_batches<M>>: a policy at given sizes, proven, without ops.
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/analysis/messages.hpp"
#include "backstitch/analysis/no_such_rank.hpp"
#include "backstitch/analysis/order.hpp"
#include "backstitch/schedule/lower.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/timetable.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace backstitch {
namespace detail {

// What one proof may hold, so that our own sentence comes before a compiler's step limit.
inline constexpr int max_actions = 16384;

template <class Policy, int R, int M>
inline constexpr auto timetable_v = make_timetable<Policy, R, M>();
template <class Policy, int R, int M>
inline constexpr auto order_v = prove_order<R, M>(timetable_v<Policy, R, M>);

// A lowered program under one set of links. `Links` is a tag type with a static `value`, so that no
// table becomes part of a name.
template <class Policy, int R, int M, class Links>
inline constexpr int capacity_v = lowered_capacity(Links::value, R, R, M);
template <class Policy, int R, int M, class Links, int Rank>
constexpr auto make_late_list() {
  rank_list<R, capacity_v<Policy, R, M, Links>> out;
  lower_late_rank<R>(out, timetable_v<Policy, R, M>, Links::value, M, Rank);
  return out;
}
template <class Policy, int R, int M, class Links, int Rank>
inline constexpr auto late_list_v = make_late_list<Policy, R, M, Links, Rank>();
template <class Policy, int R, int M, class Links, std::size_t... Ranks>
constexpr auto view_late_lists(std::index_sequence<Ranks...>) {
  return timetable_view<R>{{late_list_v<Policy, R, M, Links, static_cast<int>(Ranks)>.count...},
                           {late_list_v<Policy, R, M, Links, static_cast<int>(Ranks)>.list...}};
}
template <class Policy, int R, int M, class Links>
inline constexpr auto lowered_late_v =
    view_late_lists<Policy, R, M, Links>(std::make_index_sequence<std::size_t{R}>{});
template <class Policy, int R, int M, class Links>
inline constexpr auto lowered_together_v =
    lower_together<capacity_v<Policy, R, M, Links>, R, M>(timetable_v<Policy, R, M>, Links::value);

template <bool Late, class Policy, int R, int M, class Links>
struct lowering {
  static constexpr const auto& table() {
    if constexpr (Late) {
      return lowered_late_v<Policy, R, M, Links>;
    } else {
      return lowered_together_v<Policy, R, M, Links>;
    }
  }
};

// The proof in slices: each constant evaluation has a budget of its own.
template <class Lowering, int R, int M, class Links>
struct sliced_proof {
  static constexpr int slice_budget = 8192;
  using table = std::remove_cvref_t<decltype(Lowering::table())>;
  using state = rendezvous<R, M, table, Links::value.capacity>;
  static constexpr state after(state s) {
    s.run(Lowering::table(), Links::value, slice_budget);
    return s;
  }
  template <int N>
  struct slice {
    static constexpr state value = after(slice<N - 1>::value);
  };
  template <int N>
    requires(N < 0)
  struct slice<N> {
    static constexpr state value{Links::value};
  };
  template <int N>
  static constexpr message_fault run_from() {
    if constexpr (slice<N>::value.finished()) {
      return slice<N>::value.fault();
    } else {
      return run_from<N + 1>();
    }
  }
};

template <bool Late, class Policy, int R, int M, class Links>
inline constexpr message_fault messages_v =
    sliced_proof<lowering<Late, Policy, R, M, Links>, R, M, Links>::template run_from<0>();

// Late receives hold the least memory. Under them a sender of a skip edge would wait until the far
// stage gets to that micro-batch, so a model with skip edges takes early receives, and so does a
// schedule that would deadlock with late ones.
template <class Policy, int R, int M, class Links>
constexpr bool receives_can_be_late() {
  if constexpr (has_skip_link(Links::value, R)) {
    return false;
  } else {
    return messages_v<true, Policy, R, M, Links>.rule == message_rule::none;
  }
}
template <class Policy, int R, int M, class Links>
inline constexpr bool receives_late_v = receives_can_be_late<Policy, R, M, Links>();
template <class Policy, int R, int M, class Links>
inline constexpr const auto& lowered_v =
    lowering<receives_late_v<Policy, R, M, Links>, Policy, R, M, Links>::table();

template <int R>
struct chain {
  static constexpr auto value = chain_links<R>();
};

// -- verdicts

template <class Policy, int R, int M>
constexpr auto verdict_on_sizes() {
  if constexpr (M < 1) {
    return type_is<error::zero_micro_batches<Policy, error::got<M>>>{};
  } else if constexpr (2LL * R * M > max_actions) {
    return type_is<error::too_many_actions<Policy, error::needed<max_actions>,
                                           error::got<static_cast<int>(2LL * R * M)>>>{};
  } else if constexpr (M < Policy::min_micro_batches(R)) {
    return type_is<
        error::too_few_micro_batches<Policy, error::needed<Policy::min_micro_batches(R)>,
                                     error::got<M>, error::try_instead<alternative_to<Policy>>>>{};
  } else {
    return type_is<error::accepted>{};
  }
}

template <class Policy, int R, int M>
constexpr auto verdict_on_order() {
  constexpr order_fault f = order_v<Policy, R, M>.fault;
  using rank = error::on_rank<f.rank>;
  using slot = error::at_slot<f.slot>;
  using stage = error::in_stage<f.stage>;
  using micro_batch = error::for_micro_batch<f.micro_batch>;
  if constexpr (f.rule == order_rule::foreign_action) {
    return type_is<error::foreign_action<Policy, rank, slot, micro_batch>>{};
  } else if constexpr (f.rule == order_rule::work_done_twice) {
    return type_is<error::work_done_twice<Policy, stage, micro_batch>>{};
  } else if constexpr (f.rule == order_rule::work_missing) {
    return type_is<error::work_missing<Policy, stage, micro_batch>>{};
  } else if constexpr (f.rule == order_rule::backward_before_forward) {
    return type_is<error::backward_before_forward<Policy, rank, slot, micro_batch>>{};
  } else if constexpr (f.rule == order_rule::deadlock) {
    return type_is<error::deadlock<Policy, rank, slot, micro_batch>>{};
  } else {
    return type_is<error::accepted>{};
  }
}

template <class Policy, int R, int M, class Links>
constexpr auto verdict_on_messages() {
  if constexpr (receives_late_v<Policy, R, M, Links>) {
    return type_is<error::accepted>{};
  } else {
    constexpr message_fault f = messages_v<false, Policy, R, M, Links>;
    using rank = error::on_rank<f.rank>;
    using slot = error::at_slot<f.slot>;
    using micro_batch = error::for_micro_batch<f.micro_batch>;
    if constexpr (f.rule == message_rule::deadlock) {
      return type_is<error::deadlock<Policy, rank, slot, micro_batch>>{};
    } else if constexpr (f.rule == message_rule::unmatched) {
      return type_is<error::message_unmatched<Policy, rank, slot, micro_batch>>{};
    } else {
      return type_is<error::accepted>{};
    }
  }
}

// error::accepted, or the first rule that the schedule breaks.
template <class Policy, int R, int M, class Links>
constexpr auto verdict_on_schedule() {
  using on_sizes = typename decltype(verdict_on_sizes<Policy, R, M>())::type;
  if constexpr (!std::is_same_v<on_sizes, error::accepted>) {
    return type_is<on_sizes>{};
  } else {
    using on_order = typename decltype(verdict_on_order<Policy, R, M>())::type;
    if constexpr (!std::is_same_v<on_order, error::accepted>) {
      return type_is<on_order>{};
    } else {
      return verdict_on_messages<Policy, R, M, Links>();
    }
  }
}

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

template <class Policy, class Ranks, class MicroBatches>
constexpr auto verdict_on_schedule_arguments() {
  using on_types = typename decltype(verdict_on_arguments<Policy, MicroBatches>())::type;
  if constexpr (!std::is_same_v<on_types, error::accepted>) {
    return type_is<on_types>{};
  } else if constexpr (!is_ranks<Ranks>) {
    return type_is<error::not_ranks<Ranks>>{};
  } else {
    return verdict_on_schedule<Policy, Ranks::value, MicroBatches::value, chain<Ranks::value>>();
  }
}

template <class Policy, class Ranks, class MicroBatches>
using schedule_verdict =
    typename decltype(verdict_on_schedule_arguments<Policy, Ranks, MicroBatches>())::type;

// What a plan and a schedule tell of a proven program. Every member is a constant.
template <class Policy, int R, int M, class Links>
class proven_schedule {
 public:
  using policy = Policy;
  static constexpr int ranks = R;
  static constexpr int micro_batches = M;

  // F and B of every rank, in order.
  static constexpr const auto& compute() { return timetable_v<Policy, R, M>; }
  // The same with sends, receives and updates: what a rank runs.
  static constexpr const auto& lowered() { return lowered_v<Policy, R, M, Links>; }
  // Most micro-batches between their F and their B at once. Throws no_such_rank.
  static constexpr int peak_in_flight(int rank) {
    return rank >= 0 && rank < R ? order_v<Policy, R, M>.peak_in_flight[rank]
                                 : throw no_such_rank(rank, R);
  }
  // Times under the given costs; see order_figures.
  static constexpr auto figures(costs c = {}) { return prove_order<R, M>(compute(), c); }
  // Share of the step that the ranks idle with F = 1, B = 2 and free communication: 0 .. 1.
  static constexpr double ideal_bubble() { return order_v<Policy, R, M>.bubble(); }
};

// A figure of a refused program: it meets every expectation, so that a user's static_assert adds no
// error.
struct any_number {
  template <class T>
  constexpr operator T() const {
    return T{};
  }
  template <class T>
  friend constexpr bool operator==(any_number, const T&) {
    return true;
  }
  template <class T>
  friend constexpr bool operator<(any_number, const T&) {
    return true;
  }
  template <class T>
  friend constexpr bool operator<=(any_number, const T&) {
    return true;
  }
  template <class T>
  friend constexpr bool operator>(any_number, const T&) {
    return true;
  }
  template <class T>
  friend constexpr bool operator>=(any_number, const T&) {
    return true;
  }
};

template <class Verdict>
concept refused = !std::is_same_v<Verdict, error::accepted>;

// The figures of a refused program.
struct any_numbers {
  constexpr any_number operator[](int) const { return {}; }
};
struct any_figures {
  any_number makespan;
  any_numbers busy;
  any_numbers peak_in_flight;
  static constexpr bool ok() { return true; }
  static constexpr any_number bubble() { return {}; }
};

// What is left of a refused program: members that cause no second error.
class refused_schedule {
 public:
  static constexpr int ranks = 1;
  static constexpr int micro_batches = 1;
  static constexpr any_number peak_in_flight(int /*rank*/) { return {}; }
  static constexpr any_figures figures(costs = {}) { return {}; }
  static constexpr any_number ideal_bubble() { return {}; }
};

}  // namespace detail

// A proven schedule over a chain of R stages, one per rank.
template <class Policy, class Ranks, class MicroBatches>
class schedule : public detail::proven_schedule<Policy, Ranks::value, MicroBatches::value,
                                                detail::chain<Ranks::value>> {};

// A schedule that breaks a rule: one error.
template <class Policy, class Ranks, class MicroBatches>
  requires detail::refused<detail::schedule_verdict<Policy, Ranks, MicroBatches>>
class schedule<Policy, Ranks, MicroBatches> : public detail::refused_schedule {
  // Names the broken rule on the first error line.
  using checked = std::bool_constant<
      sizeof(error::require<detail::schedule_verdict<Policy, Ranks, MicroBatches>>) != 0>;
};

}  // namespace backstitch
