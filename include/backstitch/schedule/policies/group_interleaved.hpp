// Group-interleaved 1F1B with split backwards: groups of any size take turns on the stages of a
// rank, and each W follows its I. Groups smaller than R wait longer. The schedule of that name in
// the zero-bubble repository (arXiv 2401.10241).
//
// Work goes in steps of three slots: the forward of step n, and I and W of a step before. A group
// comes back to a rank for its next stage once it has been at all others; if it is too small to
// fill that time, L further groups start in between: the least L with 3N(1+LV) >= 2R-1. As every
// hop has its slot, the order never waits for itself.
//
// Any M. Peak of rank r: at most min(VM, (V-1)(1+LV)N + R-r) micro-batches of a stage. Idle where
// F = I = W, N >= R and M is a multiple of N: 2(R-1)F, F of one stage.
#pragma once

#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {
namespace detail {

// Which chunk and micro-batch a step is about.
struct group_steps {
  int chunks, group, micro_batches, lag;  // lag: 1 + LV, in groups

  constexpr group_steps(const shape& s, int stages_per_rank, int size)
      : chunks(stages_per_rank), group(size), micro_batches(s.micro_batches), lag(1) {
    while (3LL * group * lag < 2 * s.ranks - 1) lag += chunks;
  }
  // The step in which micro-batch 0 reaches the last chunk.
  constexpr int depth() const { return (chunks - 1) * lag * group; }
  // Behind the last step.
  constexpr int end() const {
    const int groups = (micro_batches + group - 1) / group;
    return depth() + ((groups - 1) * chunks + 1) * group;
  }
  constexpr int chunk(int step) const { return step / group % chunks; }
  // -1: nothing to do in this step.
  constexpr int micro_batch(int step) const {
    if (step < 0 || step >= end()) return -1;
    const int turn = step / group - chunk(step) * lag;
    const int m = turn / chunks * group + step % group;
    return turn >= 0 && m < micro_batches ? m : -1;
  }
};

}  // namespace detail

// V stages per rank, Group micro-batches in a row.
template <int V, int Group>
  requires(V >= 1 && Group >= 1)
struct group_interleaved {
  static constexpr const char* name = "group_interleaved";  // for pictures and messages
  static constexpr int chunks = V;                          // stages per rank
  static constexpr bool splits_backward = true;             // emits I and W

  // The least legal number of micro-batches.
  static constexpr int min_micro_batches(int /*ranks*/) { return 1; }
  // The other rules on the sizes.
  static constexpr precondition accept(shape s) { return detail::stages_on_every_rank(s, V); }
  // A bound on the peak: the steps from a forward to the end of the first backward.
  static constexpr int max_in_flight(shape s, int rank) {
    const int most = warm_up(s, rank, detail::group_steps(s, V, group_in(s)));
    return most < V * s.micro_batches ? most : V * s.micro_batches;
  }

  // Emits the rank's order into a sink. O(VM + R).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    const detail::group_steps steps(s, V, group_in(s));
    const int late = warm_up(s, rank, steps);
    for (int n = 0; n < steps.end() + late; ++n) {
      const int back = steps.micro_batch(n - late), there = steps.micro_batch(n);
      if (back >= 0) {
        const int stage = s.stage(rank, V - 1 - steps.chunk(n - late));
        sink.backward_input(stage, back);
        sink.backward_weight(stage, back);
      }
      if (there >= 0) sink.forward(s.stage(rank, steps.chunk(n)), there);
    }
  }

 private:
  // A group is no larger than M.
  static constexpr int group_in(const shape& s) {
    return Group < s.micro_batches ? Group : s.micro_batches;
  }
  static constexpr int warm_up(const shape& s, int rank, const detail::group_steps& steps) {
    return steps.depth() + s.ranks - detail::place_of(s, rank);
  }
};

}  // namespace backstitch
