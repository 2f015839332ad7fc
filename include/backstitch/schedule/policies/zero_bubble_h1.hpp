// ZB-H1 as PaddlePaddle runs it, which is not the paper's (arXiv 2401.10241): stage r splits only
// its first r backwards and the last one, and the late weight halves fill the end.
//
// M >= R. Peak: R micro-batches on every rank. Idle: (R-2)F + (R-1)I from R = 3 on, where F is no
// longer than 2I and 2W; 2R-3 where F = I = W = 1.
#pragma once

#include "backstitch/schedule/policies/one_f_one_b.hpp"
#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// PaddlePaddle's ZB-H1.
struct zero_bubble_h1 {
  static constexpr const char* name = "zero_bubble_h1";  // for pictures and messages
  static constexpr bool splits_backward = true;          // emits I and W

  // The least legal number of micro-batches.
  static constexpr int min_micro_batches(int ranks) { return ranks; }
  // What to take for fewer micro-batches.
  static one_f_one_b_clamped try_instead();
  // The other rules on the sizes.
  static constexpr precondition accept(shape s) { return detail::stages_on_every_rank(s, 1); }
  // The peak.
  static constexpr int max_in_flight(shape s, int /*rank*/) { return s.stages; }

  // Emits the rank's order into a sink. O(M).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    const int stage = s.stage(rank, 0), last = s.micro_batches - 1;
    const int ahead = s.stages - stage;  // forwards before the first backward
    for (int m = 0; m < ahead; ++m) sink.forward(stage, m);
    for (int m = 0; m < last; ++m) {
      if (m < stage) {
        sink.backward_input(stage, m);
      } else {
        sink.backward(stage, m);
      }
      if (ahead + m <= last) sink.forward(stage, ahead + m);
    }
    if (stage == 0) return sink.backward(stage, last);
    sink.backward_input(stage, last);
    sink.backward_weight(stage, last);
    for (int m = 0; m < stage; ++m) sink.backward_weight(stage, m);
  }
};

}  // namespace backstitch
