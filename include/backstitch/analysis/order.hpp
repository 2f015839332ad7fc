// Proof of a compute order, and its figures: one pass over all ranks, O(actions).
//
// Every (stage, micro-batch) has exactly one F and one B, on its own rank, F first; the stage chain
// across ranks has no cycle. The same pass gives times, since it works in dependency order.
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// The rules of a valid order.
enum class order_rule : int {
  none,
  foreign_action,  // a stage or micro-batch that does not belong on this rank
  work_done_twice,
  work_missing,
  backward_before_forward,
  deadlock,
};

// The first broken rule and where.
struct order_fault {
  order_rule rule = order_rule::none;  // `none` if the order is valid
  int rank = 0;                        // whose list
  int slot = 0;                        // position in the rank's list
  int stage = 0;                       // of the work in question
  int micro_batch = 0;                 // likewise
};

// Time of one micro-batch through one stage, in any unit.
struct costs {
  int forward = 1;   // F
  int backward = 2;  // B
};

// What a valid order costs. Communication takes no time.
template <int Ranks>
struct order_figures {
  order_fault fault = {};                          // the figures hold only if there is none
  int makespan = 0;                                // from the first op to the end of the last one
  int busy[detail::extent(Ranks)] = {};            // time that the rank works
  int peak_in_flight[detail::extent(Ranks)] = {};  // most micro-batches between F and B at once
  // Whether the order is valid.
  constexpr bool ok() const { return fault.rule == order_rule::none; }
  // Share of the makespan that the ranks idle: 0 .. 1.
  constexpr double bubble() const {
    double work = 0;
    for (int b : busy) work += b;
    return makespan == 0 ? 0.0 : 1.0 - work / (static_cast<double>(makespan) * Ranks);
  }
};

namespace detail {

template <int Stages, int MicroBatches>
struct work_marks {
  bool forward[detail::extent(Stages)][detail::extent(MicroBatches)] = {};
  bool backward[detail::extent(Stages)][detail::extent(MicroBatches)] = {};
};

template <int Stages, int MicroBatches, class Table>
constexpr order_fault find_order_fault(const Table& t) {
  work_marks<Stages, MicroBatches> seen;
  for (int r = 0; r < Table::ranks; ++r) {
    for (int i = 0; i < t.count[r]; ++i) {
      const action& a = t.list[r][i];
      const auto fault = [&](order_rule rule) {
        return order_fault{rule, r, i, a.stage, a.micro_batch};
      };
      if (a.stage < 0 || a.stage >= Stages || rank_of_stage(a.stage, Table::ranks) != r ||
          a.micro_batch < 0 || a.micro_batch >= MicroBatches ||
          (a.kind != action_kind::forward && a.kind != action_kind::backward)) {
        return fault(order_rule::foreign_action);
      }
      bool& forward = seen.forward[a.stage][a.micro_batch];
      bool& mark = a.kind == action_kind::forward ? forward : seen.backward[a.stage][a.micro_batch];
      if (mark) return fault(order_rule::work_done_twice);
      mark = true;
      if (!forward) return fault(order_rule::backward_before_forward);
    }
  }
  for (int s = 0; s < Stages; ++s) {
    for (int m = 0; m < MicroBatches; ++m) {
      if (!seen.forward[s][m] || !seen.backward[s][m]) {
        return {order_rule::work_missing, rank_of_stage(s, Table::ranks), 0, s, m};
      }
    }
  }
  return {};
}

}  // namespace detail

// When each F and B ends; -1: it has not run.
template <int Stages, int MicroBatches>
struct order_times {
  int forward_end[detail::extent(Stages)][detail::extent(MicroBatches)] =
      {};  // by stage and micro-batch
  int backward_end[detail::extent(Stages)][detail::extent(MicroBatches)] =
      {};  // by stage and micro-batch
  // Nothing has run.
  constexpr order_times() {
    for (int s = 0; s < Stages; ++s) {
      for (int m = 0; m < MicroBatches; ++m) forward_end[s][m] = backward_end[s][m] = -1;
    }
  }
};

// Checks that every F and B of a timetable stands once, on its rank and in a possible order, and
// times them. O(R * M).
template <int Stages, int MicroBatches, class Table>
constexpr auto prove_order(const Table& t, costs c, order_times<Stages, MicroBatches>& times) {
  constexpr int R = Table::ranks;
  order_figures<R> out;
  out.fault = detail::find_order_fault<Stages, MicroBatches>(t);
  if (!out.ok()) return out;

  int next[detail::extent(R)] = {}, clock[detail::extent(R)] = {},
      in_flight[detail::extent(R)] = {};
  int ready[detail::extent(R)] = {};
  bool queued[detail::extent(R)] = {};
  int waiting = R;
  for (int r = 0; r < R; ++r) {
    ready[r] = r;
    queued[r] = true;
  }
  while (waiting > 0) {
    const int r = ready[--waiting];
    queued[r] = false;
    for (; next[r] < t.count[r]; ++next[r]) {
      const action& a = t.list[r][next[r]];
      const bool is_forward = a.kind == action_kind::forward;
      const int neighbour = is_forward ? a.stage - 1 : a.stage + 1;
      const bool at_end = neighbour < 0 || neighbour == Stages;
      const int needed = at_end       ? 0
                         : is_forward ? times.forward_end[neighbour][a.micro_batch]
                                      : times.backward_end[neighbour][a.micro_batch];
      if (needed < 0) break;
      const int cost = is_forward ? c.forward : c.backward;
      clock[r] = (clock[r] > needed ? clock[r] : needed) + cost;
      out.busy[r] += cost;
      (is_forward ? times.forward_end : times.backward_end)[a.stage][a.micro_batch] = clock[r];
      in_flight[r] += is_forward ? 1 : -1;
      if (in_flight[r] > out.peak_in_flight[r]) out.peak_in_flight[r] = in_flight[r];
      const int woken_stage = is_forward ? a.stage + 1 : a.stage - 1;
      if (woken_stage < 0 || woken_stage == Stages) continue;
      const int woken = rank_of_stage(woken_stage, R);
      if (woken != r && !queued[woken]) {
        queued[woken] = true;
        ready[waiting++] = woken;
      }
    }
    if (clock[r] > out.makespan) out.makespan = clock[r];
  }
  for (int r = 0; r < R; ++r) {
    if (next[r] < t.count[r]) {
      const action& a = t.list[r][next[r]];
      out.fault = {order_rule::deadlock, r, next[r], a.stage, a.micro_batch};
      return out;
    }
  }
  return out;
}

// The same, without the times of each.
template <int Stages, int MicroBatches, class Table>
constexpr auto prove_order(const Table& t, costs c = {}) {
  order_times<Stages, MicroBatches> times;
  return prove_order(t, c, times);
}

}  // namespace backstitch
