// ZB1P: 1F1B with the backward in two halves. Rank r delays the weight half by r steps and fills
// its waits with it. arXiv 2401.10241; with V > 1 PyTorch's interleaved form.
//
// V = 1: any M. V > 1: max(1, M div R) equal groups of N micro-batches, as `interleaved`.
// Peak: min(VM, (V-1)N + R) micro-batches of a stage on every rank. Idle, F, I and W of one stage:
// (R-1)(F+I) - (min(M,R)-1) min(F,I,W); with V > 1, from M = R on. The paper's (R-1)(F+I-W) is the
// same where M >= R and W is the shortest.
#pragma once

#include "backstitch/schedule/policies/late_weights.hpp"
#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policies/virtual_order.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// V stages per rank.
template <int V = 1>
  requires(V >= 1)
struct zero_bubble_1p {
  static constexpr const char* name = "zero_bubble_1p";  // for pictures and messages
  static constexpr int chunks = V;                       // stages per rank
  static constexpr bool splits_backward = true;          // emits I and W

  // All rules on the sizes.
  static constexpr precondition accept(shape s) {
    const precondition placed = detail::stages_on_every_rank(s, V);
    if (placed.broken != size_rule::none) return placed;
    // With one stage per rank the order does not depend on the groups.
    if (V > 1 || s.micro_batches < 1) return detail::check_equal_groups(s.micro_batches, s.ranks);
    return {};
  }
  // The order of the stages and micro-batches.
  static constexpr detail::virtual_order steps(shape s) {
    return {s.micro_batches, V,
            s.micro_batches / detail::groups_of_about_r(s.micro_batches, s.ranks)};
  }
  // The peak: what is warm, the one at work, and those whose weight half is late.
  static constexpr int max_in_flight(shape s, int /*rank*/) {
    const detail::virtual_order order = steps(s);
    const int most = (V - 1) * order.group + s.ranks;
    return most < order.count() ? most : order.count();
  }

  // Emits the rank's order into a sink. O(VM).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    const detail::virtual_order order = steps(s);
    const int late = detail::place_of(s, rank);
    detail::with_late_weights(
        (V - 1) * order.group + (s.ranks - 1 - late), late, order.count(),
        [&](int i) { sink.forward(s.stage(rank, order.chunk(i)), order.micro_batch(i)); },
        [&](int i) {
          sink.backward_input(s.stage(rank, order.chunk_back(i)), order.micro_batch(i));
        },
        [&](int i) {
          sink.backward_weight(s.stage(rank, order.chunk_back(i)), order.micro_batch(i));
        });
  }
};

}  // namespace backstitch
