// DualPipe: two copies of the model run through the ranks in opposite directions, half of the
// micro-batches each, and a forward of one overlaps a backward of the other. DeepSeek-V3
// (arXiv 2412.19437).
//
// R even, M even, M >= 2R. Peak: R+1 micro-batches on every rank. Idle: (R/2-1)(P+B-3W), P the time
// of a forward and a backward that run together, where F = I = W.
#pragma once

#include "backstitch/schedule/placement.hpp"
#include "backstitch/schedule/policies/dual_pipe_steps.hpp"
#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// Two copies, one stage of each per rank.
struct dual_pipe {
  static constexpr const char* name = "dual_pipe";  // for pictures and messages
  static constexpr int pipes = 2;                   // copies of the model
  using placement_type = placement::bidirectional;  // where the stages stand
  static constexpr bool splits_backward = true;     // emits I and W

  // All rules on the sizes.
  static constexpr precondition accept(shape s) {
    const int r = s.ranks, m = s.micro_batches;
    if (r % 2 != 0) return {size_rule::ranks_multiple_of, 2, r, r + 1};
    if (m < 2 * r) return {size_rule::micro_batches_at_least, 2 * r, m, 2 * r};
    if (m % 2 != 0) return {size_rule::micro_batches_multiple_of, 2, m, m + 1};
    return detail::stages_on_every_rank(s, 2);
  }
  // The peak.
  static constexpr int max_in_flight(shape s, int /*rank*/) { return s.ranks + 1; }

  // Emits the rank's order into a sink. O(M).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    const int down = s.stage(rank, 0), up = s.stage(rank, 1);
    const int half = s.ranks / 2, place = detail::place_of(s, rank);
    const bool first_half = place < half;
    const int r = first_half ? place : s.ranks - 1 - place;  // from the nearer end
    detail::dual_pipe_rank<Sink> work{sink, s, first_half ? down : up, first_half ? up : down,
                                      2 * s.ranks};
    work.run(r, half, s.micro_batches / 2);
  }
};

}  // namespace backstitch
