// 1F1B: warm-up forwards, then one forward and one backward in turn, then cool-down backwards.
// PipeDream-Flush (arXiv 2006.09503); the order of Megatron-LM, DeepSpeed, PyTorch and
// PaddlePaddle.
//
// Peak of stage r: min(M, R-r) micro-batches in flight. Idle: (R-1)(F+B), as F-then-B.
#pragma once

#include "backstitch/schedule/policies/in_pairs.hpp"
#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// Any M >= 1: stage r warms up with min(M, R-1-r) forwards.
struct one_f_one_b_clamped {
  static constexpr const char* name = "one_f_one_b_clamped";  // for pictures and messages

  // The least legal number of micro-batches.
  static constexpr int min_micro_batches(int /*ranks*/) { return 1; }
  // The other rules on the sizes.
  static constexpr precondition accept(shape s) { return detail::stages_on_every_rank(s, 1); }
  // The peak: what is warm, and the one at work.
  static constexpr int max_in_flight(shape s, int rank) {
    const int from_here = s.stages - s.stage(rank, 0);
    return from_here < s.micro_batches ? from_here : s.micro_batches;
  }

  // Emits the rank's order into a sink. O(M).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    const int stage = s.stage(rank, 0);
    detail::in_pairs(
        s.stages - 1 - stage, s.micro_batches, [&](int m) { sink.forward(stage, m); },
        [&](int m) { sink.backward(stage, m); });
  }
};

// The reference worker's rule: every stage needs M > R-1-r, so that each has a steady phase. It
// checks that on each rank at run time, where some ranks start and wait; here it is one check.
struct one_f_one_b : one_f_one_b_clamped {
  static constexpr const char* name = "one_f_one_b";  // for pictures and messages

  // The least legal number of micro-batches.
  static constexpr int min_micro_batches(int ranks) { return ranks; }
  // What to take for fewer micro-batches.
  static one_f_one_b_clamped try_instead();
};

}  // namespace backstitch
