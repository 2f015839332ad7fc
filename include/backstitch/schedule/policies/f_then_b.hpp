// F-then-B: all forwards in order, then all backwards in order. GPipe (arXiv 1811.06965), with the
// backwards first in, first out as in PaddlePaddle's worker and PyTorch.
//
// Peak: M micro-batches in flight on every rank. Idle: (R-1)(F+B). Any M >= 1.
#pragma once

#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// F-then-B.
struct f_then_b {
  static constexpr const char* name = "f_then_b";  // for pictures and messages

  // The least legal number of micro-batches.
  static constexpr int min_micro_batches(int /*ranks*/) { return 1; }
  // The other rules on the sizes.
  static constexpr precondition accept(shape s) { return detail::stages_on_every_rank(s, 1); }
  // The peak.
  static constexpr int max_in_flight(shape s, int /*rank*/) { return s.micro_batches; }

  // Emits the rank's order into a sink. O(M).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    const int stage = s.stage(rank, 0);
    for (int m = 0; m < s.micro_batches; ++m) sink.forward(stage, m);
    for (int m = 0; m < s.micro_batches; ++m) sink.backward(stage, m);
  }
};

}  // namespace backstitch
