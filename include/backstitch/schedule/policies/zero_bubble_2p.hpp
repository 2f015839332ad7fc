// ZB2P: no rank ever waits between its first and its last action. Each rank takes as many forwards
// ahead as it needs until the first gradient is back, and keeps weight halves for the waits at the
// end. Twice the memory of 1F1B. arXiv 2401.10241 (ZB-H2); in closed form for F = I = W.
//
// Any M. Peak: min(2R-1, M) micro-batches on every rank. Idle where F = I = W: (R-1)F from
// M = 2R-1 on, none of it within a rank's own span.
#pragma once

#include "backstitch/schedule/policies/late_weights.hpp"
#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// One stage per rank.
struct zero_bubble_2p {
  static constexpr const char* name = "zero_bubble_2p";  // for pictures and messages
  static constexpr bool splits_backward = true;          // emits I and W

  // The least legal number of micro-batches.
  static constexpr int min_micro_batches(int /*ranks*/) { return 1; }
  // The other rules on the sizes.
  static constexpr precondition accept(shape s) { return detail::stages_on_every_rank(s, 1); }
  // The peak: what is warm, and those whose weight half is late.
  static constexpr int max_in_flight(shape s, int /*rank*/) {
    return 2 * s.ranks - 1 < s.micro_batches ? 2 * s.ranks - 1 : s.micro_batches;
  }

  // Emits the rank's order into a sink. O(M + R).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    const int stage = s.stage(rank, 0), place = detail::place_of(s, rank);
    detail::with_late_weights(
        2 * (s.ranks - 1 - place), 2 * place, s.micro_batches,
        [&](int m) { sink.forward(stage, m); }, [&](int m) { sink.backward_input(stage, m); },
        [&](int m) { sink.backward_weight(stage, m); });
  }
};

}  // namespace backstitch
