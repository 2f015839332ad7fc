// Interleaved 1F1B: every rank holds V stages, R apart, so the pipeline fills V times faster.
// Megatron-LM (arXiv 2104.04473), PyTorch.
//
// Peak of rank r: min(VM, w+1) micro-batches of a stage in flight, with the warm-up
// w = (V-1)N + 2(R-1-r) for groups of N micro-batches. Idle: (R-1)(F+B), F and B of one stage, from
// M = R on; each micro-batch less costs (V-1)(F+B). V times the messages of 1F1B.
#pragma once

#include "backstitch/schedule/policies/in_pairs.hpp"
#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policies/virtual_order.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {
namespace detail {

// The order with `More` warm-up steps added.
template <int V, int Group, int More>
struct interleaved_order {
  static constexpr int chunks = V;  // stages per rank

  // All rules on the sizes.
  static constexpr precondition accept(shape s) {
    const precondition placed = stages_on_every_rank(s, V);
    if (placed.broken != size_rule::none) return placed;
    if constexpr (Group == 0) {
      return check_equal_groups(s.micro_batches, s.ranks);
    } else {
      return check_full_groups(s.micro_batches, s.ranks, Group);
    }
  }
  static constexpr virtual_order steps(shape s) {
    const int equal = s.micro_batches / groups_of_about_r(s.micro_batches, s.ranks);
    return {s.micro_batches, V, Group == 0 ? equal : Group};
  }
  static constexpr int warm_up(shape s, int rank) {
    return (V - 1) * steps(s).group + 2 * (s.ranks - 1 - place_of(s, rank)) + More;
  }
  // The peak: what is warm, and the one at work.
  static constexpr int max_in_flight(shape s, int rank) {
    const int warm = warm_up(s, rank), all = steps(s).count();
    return warm + 1 < all ? warm + 1 : all;
  }

  // Emits the rank's order into a sink. O(VM).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    const virtual_order order = steps(s);
    in_pairs(
        warm_up(s, rank), order.count(),
        [&](int i) { sink.forward(s.stage(rank, order.chunk(i)), order.micro_batch(i)); },
        [&](int i) { sink.backward(s.stage(rank, order.chunk_back(i)), order.micro_batch(i)); });
  }
};

}  // namespace detail

// Group = 0: PyTorch's rule, max(1, M div R) equal groups. Group > 0: Megatron-LM's rule, groups of
// that many micro-batches, R <= Group <= M; the last group may be smaller, but not than R.
template <int V, int Group = 0>
  requires(V >= 1 && Group >= 0)
struct interleaved : detail::interleaved_order<V, Group, 0> {
  static constexpr const char* name = "interleaved";  // for pictures and messages
};

// One more warm-up step: then the forward of a pair does not wait for its backward, and the
// messages of one run beside the other. Megatron-LM, for the exchange between experts.
template <int V, int Group = 0>
  requires(V >= 1 && Group >= 0)
struct interleaved_overlap : detail::interleaved_order<V, Group, 1> {
  static constexpr const char* name = "interleaved_overlap";  // for pictures and messages
};

}  // namespace backstitch
