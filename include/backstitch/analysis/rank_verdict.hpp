// What the check of a rank's list tells, and how the ranks' verdicts make one.
#pragma once

#include "backstitch/analysis/fault.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch::detail {

// What a list holds beside its faults. Whether a missing update is a fault depends on the others.
struct rank_verdict {
  fault first = {};
  int peak_in_flight = 0;  // most (stage, micro-batch) between F and their end
  bool updates = false, reduces = false, releases = false;  // has any
  int stage_without_update = -1, stage_without_reduce = -1, stage_without_release = -1;
  int unreleased_micro_batch = 0;
};

// How far a stage's work on a micro-batch has come, in the order in which the states follow.
enum work_state : int {
  untouched,
  forwarded,
  backwarded,  // B
  split,       // I
  weighted,    // I and W
  released = 8 /* a bit */,
};

// Which rule work breaks that does not fit the state.
constexpr rule explain_work(action_kind kind, int now, bool forward_only) {
  now &= released - 1;
  if (forward_only && kind != action_kind::forward) return rule::foreign_action;
  switch (kind) {
    case action_kind::forward:
      return rule::work_done_twice;
    case action_kind::backward:
      return now == untouched    ? rule::backward_before_forward
             : now == backwarded ? rule::work_done_twice
                                 : rule::mixed_backward;
    case action_kind::backward_input:
      return now == untouched    ? rule::backward_before_forward
             : now == backwarded ? rule::mixed_backward
                                 : rule::work_done_twice;
    default:
      return now == untouched    ? rule::backward_before_forward
             : now == forwarded  ? rule::weight_before_input
             : now == backwarded ? rule::mixed_backward
                                 : rule::work_done_twice;
  }
}

// The first fault of the ranks' own rules; then what all ranks or none must have.
constexpr fault first_rank_fault(const rank_verdict* const* ranks, int count, const shape& s) {
  bool updates = false, reduces = false, releases = false;
  for (int r = 0; r < count; ++r) {
    if (ranks[r]->first.broken != rule::none) return ranks[r]->first;
    updates = updates || ranks[r]->updates;
    reduces = reduces || ranks[r]->reduces;
    releases = releases || ranks[r]->releases;
  }
  for (int r = 0; r < count; ++r) {
    const rank_verdict& v = *ranks[r];
    if (updates && v.stage_without_update >= 0) {
      return {rule::update_missing, r, 0, v.stage_without_update, 0, 0, {}};
    }
    if ((reduces || (updates && s.pipes > 1)) && v.stage_without_reduce >= 0) {
      return {rule::reduce_missing, r, 0, v.stage_without_reduce, 0, 0, {}};
    }
    if (releases && v.stage_without_release >= 0) {
      return {rule::release_missing,    r, 0, v.stage_without_release,
              v.unreleased_micro_batch, 0, {}};
    }
  }
  return {};
}

}  // namespace backstitch::detail
