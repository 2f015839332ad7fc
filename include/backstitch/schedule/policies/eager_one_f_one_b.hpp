// Eager 1F1B: twice the warm-up of 1F1B, and the backward of a pair first. What a rank waits for
// was sent a whole pair earlier, so transfers run beside the work. PaddlePaddle.
//
// Peak of stage r: 2(R-r)-1 micro-batches in flight. Idle: (R-1)(F+B), as 1F1B. M >= 2R-1, so that
// the first stage can warm up.
#pragma once

#include "backstitch/schedule/policies/one_f_one_b.hpp"
#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// Eager 1F1B.
struct eager_one_f_one_b {
  static constexpr const char* name = "eager_one_f_one_b";  // for pictures and messages

  // The least legal number of micro-batches.
  static constexpr int min_micro_batches(int ranks) { return 2 * ranks - 1; }
  // What to take for fewer micro-batches.
  static one_f_one_b_clamped try_instead();
  // The other rules on the sizes.
  static constexpr precondition accept(shape s) { return detail::stages_on_every_rank(s, 1); }
  // The peak: the warm-up.
  static constexpr int max_in_flight(shape s, int rank) {
    return 2 * (s.stages - s.stage(rank, 0)) - 1;
  }

  // Emits the rank's order into a sink. O(M).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    const int stage = s.stage(rank, 0);
    const int warm_up = 2 * (s.stages - stage) - 1;
    for (int m = 0; m < warm_up; ++m) sink.forward(stage, m);
    for (int m = 0; m < s.micro_batches; ++m) {
      sink.backward(stage, m);
      if (warm_up + m < s.micro_batches) sink.forward(stage, warm_up + m);
    }
  }
};

}  // namespace backstitch
