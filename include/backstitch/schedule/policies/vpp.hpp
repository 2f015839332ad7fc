// Interleaved 1F1B as PaddlePaddle runs it ("virtual pipeline parallel"): groups of R
// micro-batches, and with only one group all forwards come first.
//
// M is a multiple of R. Peak of rank r: VM where M = R, else min(VM, (V-1)R + 2(R-1-r) + 1)
// micro-batches of a stage. Idle: (R-1)(F+B), F and B of one stage.
#pragma once

#include "backstitch/schedule/policies/in_pairs.hpp"
#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policies/virtual_order.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// PaddlePaddle's VPP.
template <int V>
  requires(V >= 1)
struct vpp {
  static constexpr const char* name = "vpp";  // for pictures and messages
  static constexpr int chunks = V;            // stages per rank

  // The least legal number of micro-batches.
  static constexpr int min_micro_batches(int ranks) { return ranks; }
  // The other rules on the sizes.
  static constexpr precondition accept(shape s) {
    if (s.micro_batches % s.ranks != 0) {
      return {size_rule::micro_batches_multiple_of, s.ranks, s.micro_batches,
              detail::nearest_multiple(s.micro_batches, s.ranks, s.ranks)};
    }
    return detail::stages_on_every_rank(s, V);
  }
  // The order of the stages and micro-batches.
  static constexpr detail::virtual_order steps(shape s) { return {s.micro_batches, V, s.ranks}; }
  // Forwards before the first backward.
  static constexpr int warm_up(shape s, int rank) {
    return s.micro_batches == s.ranks
               ? V * s.micro_batches
               : (V - 1) * s.ranks + 2 * (s.ranks - 1 - detail::place_of(s, rank));
  }
  // The peak: what is warm, and the one at work.
  static constexpr int max_in_flight(shape s, int rank) {
    const int warm = warm_up(s, rank), all = V * s.micro_batches;
    return warm + 1 < all ? warm + 1 : all;
  }

  // Emits the rank's order into a sink. O(VM).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    const detail::virtual_order order = steps(s);
    detail::in_pairs(
        warm_up(s, rank), order.count(),
        [&](int i) { sink.forward(s.stage(rank, order.chunk(i)), order.micro_batch(i)); },
        [&](int i) { sink.backward(s.stage(rank, order.chunk_back(i)), order.micro_batch(i)); });
  }
};

// Where M = R, the backwards give the gradients of the inputs only, and those of the weights come
// at the end, all of them, by stage. With more micro-batches nothing is split. Idle where M = R:
// (R-1)(F+I), F and I of one stage.
template <int V>
  requires(V >= 1)
struct vpp_split_backward : vpp<V> {
  static constexpr const char* name = "vpp_split_backward";  // for pictures and messages
  static constexpr bool splits_backward = true;              // emits I and W

  // Emits the rank's order into a sink. O(VM).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    if (s.micro_batches != s.ranks) return vpp<V>::generate(s, rank, sink);
    const detail::virtual_order order = vpp<V>::steps(s);
    const int count = order.count();
    for (int i = 0; i < count; ++i)
      sink.forward(s.stage(rank, order.chunk(i)), order.micro_batch(i));
    for (int i = 0; i < count; ++i) {
      sink.backward_input(s.stage(rank, order.chunk_back(i)), order.micro_batch(i));
    }
    for (int c = V - 1; c >= 0; --c) {
      for (int m = 0; m < s.micro_batches; ++m) sink.backward_weight(s.stage(rank, c), m);
    }
  }
};

}  // namespace backstitch
