// Chimera: copies of the model in both directions, laid out on a grid on which no two of them ever
// want the same rank at the same time. arXiv 2107.06925.
//
// Each of P copies takes a micro-batch in every second tick, R/P of them; a micro-batch goes one
// stage per tick, turns at the last stage and comes back. The next R micro-batches start 2R ticks
// later, without a gap. The list of a rank is that grid read in order of ticks.
//
// P even, R and M multiples of P. Peak of rank r: over the copies, the sum of
// min(R/P, M/P, stages from r to the copy's end). Idle where M = kR: (2R/P-2)(kx - (k-1)y), x the
// longer and y the shorter one of F and B.
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/schedule/placement.hpp"
#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// P copies, one stage of each per rank.
template <int P = 2>
  requires(P >= 2 && P % 2 == 0)
struct chimera {
  static constexpr const char* name = "chimera";    // for pictures and messages
  static constexpr int pipes = P;                   // copies of the model
  using placement_type = placement::bidirectional;  // where the stages stand

  // All rules on the sizes.
  static constexpr precondition accept(shape s) {
    const int r = s.ranks, m = s.micro_batches;
    if (r % P != 0) return {size_rule::ranks_multiple_of, P, r, detail::nearest_multiple(r, P, P)};
    if (m < 1 || m % P != 0) {
      return {size_rule::micro_batches_multiple_of, P, m, detail::nearest_multiple(m, P, P)};
    }
    return detail::stages_on_every_rank(s, P);
  }
  // The peak: of each copy, what it takes in one go, but no more than stages are left.
  static constexpr int max_in_flight(shape s, int rank) {
    const int of_one = s.stages / P, taken = least(s.ranks / P, s.micro_batches / P);
    int most = 0;
    for (int p = 0; p < P; ++p) most += least(taken, of_one - s.stage(rank, p) % of_one);
    return most;
  }

  // Emits the rank's order into a sink. O(M + R + P^2).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    const int of_one = s.stages / P, at_once = s.ranks / P, period = 2 * s.ranks;
    lane lanes[2];  // even ticks, odd ticks
    for (int p = 0; p < P; ++p) {
      const int stage = s.stage(rank, p), at = stage % of_one;
      lanes[at % 2].insert({at, stage, false});
      lanes[(period - 1 - at) % 2].insert({period - 1 - at, stage, true});
    }
    const int ticks = ((s.micro_batches + s.ranks - 1) / s.ranks + 1) * period;
    for (int t = 0; t < ticks; ++t) {
      lane& now = lanes[t % 2];
      if (now.count == 0) continue;
      const run& r = now.runs[now.next % now.count];
      const int round = now.next / now.count;
      const int done = (t - r.start - round * period) / 2;
      if (t < r.start + round * period) continue;
      if (done + 1 >= at_once) ++now.next;
      const int m = round * at_once + done;
      if (m >= s.micro_batches / P) continue;
      if (r.backward) {
        sink.backward(r.stage, s.first_micro_batch(r.stage) + m);
      } else {
        sink.forward(r.stage, s.first_micro_batch(r.stage) + m);
      }
    }
  }

 private:
  // Micro-batches of one copy that a rank works on in every second tick.
  struct run {
    int start = 0, stage = 0;
    bool backward = false;
  };
  // The runs of even or of odd ticks, in order: they come one after the other.
  struct lane {
    run runs[detail::extent(2 * P)] = {};
    int count = 0;
    int next = 0;  // runs done so far, over all rounds

    constexpr void insert(const run& r) {
      int i = count++;
      for (; i > 0 && runs[i - 1].start > r.start; --i) runs[i] = runs[i - 1];
      runs[i] = r;
    }
  };
  static constexpr int least(int a, int b) { return a < b ? a : b; }
};

}  // namespace backstitch
