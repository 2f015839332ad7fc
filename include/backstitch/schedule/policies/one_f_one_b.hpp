// 1F1B: warm-up forwards, then one forward and one backward in turn, then cool-down backwards.
// PipeDream-Flush (arXiv 2006.09503); the order of Megatron-LM, DeepSpeed, PyTorch and
// PaddlePaddle.
//
// Peak on rank r: min(M, R-r) micro-batches in flight. Idle: (R-1)(F+B), as F-then-B.
#pragma once

#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// Any M >= 1: a rank warms up with min(M, R-1-r) forwards.
struct one_f_one_b_clamped {
  static constexpr const char* name = "one_f_one_b_clamped";  // for pictures and messages

  // The least legal number of micro-batches.
  static constexpr int min_micro_batches(int /*ranks*/) { return 1; }

  // Emits the rank's order into a sink. O(M).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    const int later_ranks = s.ranks - 1 - rank;
    const int warm_up = later_ranks < s.micro_batches ? later_ranks : s.micro_batches;
    for (int m = 0; m < warm_up; ++m) sink.forward(rank, m);
    for (int m = warm_up; m < s.micro_batches; ++m) {
      sink.forward(rank, m);
      sink.backward(rank, m - warm_up);
    }
    for (int m = s.micro_batches - warm_up; m < s.micro_batches; ++m) sink.backward(rank, m);
  }
};

// The reference worker's rule: every rank needs M > R-1-r, so that each has a steady phase. It
// checks that on each rank at run time, where some ranks start and wait; here it is one check.
struct one_f_one_b : one_f_one_b_clamped {
  static constexpr const char* name = "one_f_one_b";  // for pictures and messages

  // The least legal number of micro-batches.
  static constexpr int min_micro_batches(int ranks) { return ranks; }
  // What to take for fewer micro-batches.
  static one_f_one_b_clamped try_instead();
};

}  // namespace backstitch
