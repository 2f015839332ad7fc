// V-Min: the least memory of the V-shaped schedules, a third of 1F1B's. Each micro-batch goes down
// and up the V, forward and back, without a wait, and the next one follows six slots later; weight
// halves take the slots that are left. arXiv 2405.15362.
//
// Any M. Peak: at most 2 floor((R+4)/3) micro-batches of a stage on every rank. Idle where
// F = I = W, from R = 2 and M = (R+4)/3 on: (4R-5+d)F, d = 2 if R is a multiple of 3, else 0. Far
// more where they differ much: `zbv` has the same chain with more slack. F, I, W of one stage.
#pragma once

#include "backstitch/schedule/placement.hpp"
#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {
namespace detail {

// What a rank does in one slot: 0, 1: forward on the way down and up; 2, 3: the input half on the
// way back down and up; 4: none of these, room for a weight half.
struct v_step {
  int step = 4;
  int micro_batch = -1;

  constexpr bool is_forward() const { return step < 2; }
  constexpr bool is_backward() const { return step == 2 || step == 3; }
};

// The steps of one rank for a micro-batch, repeated for each.
struct v_block {
  static constexpr int period = 6;  // slots to the next micro-batch: three kinds, two stages

  int first[4];  // slot of each step for micro-batch 0, ascending; all differ modulo the period
  int count;     // micro-batches

  // Behind the last step.
  constexpr int end() const { return count < 1 ? 0 : first[3] + period * (count - 1) + 1; }
  constexpr v_step at(int slot) const {
    for (int i = 0; i < 4; ++i) {
      const int since = slot - first[i];
      if (since >= 0 && since % period == 0 && since / period < count) return {i, since / period};
    }
    return {};
  }
  // The first slot from this one on with an input half, or the end.
  constexpr int next_backward(int slot) const {
    while (slot < end() && !at(slot).is_backward()) ++slot;
    return slot;
  }
};

}  // namespace detail

// Two stages per rank.
struct v_min {
  static constexpr const char* name = "v_min";   // for pictures and messages
  static constexpr int chunks = 2;               // stages per rank
  using placement_type = placement::v;           // where the stages stand
  static constexpr bool splits_backward = true;  // emits I and W

  // The least legal number of micro-batches.
  static constexpr int min_micro_batches(int /*ranks*/) { return 1; }
  // The other rules on the sizes.
  static constexpr precondition accept(shape s) { return detail::stages_on_every_rank(s, 2); }
  // A bound on the peak, which some rank reaches once the pipeline is full.
  static constexpr int max_in_flight(shape s, int /*rank*/) {
    const int most = 2 * ((s.ranks + 4) / 3);
    return most < 2 * s.micro_batches ? most : 2 * s.micro_batches;
  }

  // Emits the rank's order into a sink. O(M + R).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    const int ranks = s.ranks, r = detail::place_of(s, rank);
    // Two slots of rest at the bottom, where the way back would else meet the way there.
    const int rest = ranks % 3 == 0 ? 2 : 0;
    const detail::v_block block{
        {r, 2 * ranks - 1 - r, 2 * ranks + rest + r, 4 * ranks + rest - 1 - r}, s.micro_batches};
    const int stage[] = {s.stage(rank, 0), s.stage(rank, 1), s.stage(rank, 1), s.stage(rank, 0)};
    int behind = block.next_backward(0);  // whose weight half is next: first in, first out
    for (int slot = 0; behind < block.end(); ++slot) {
      const detail::v_step now = block.at(slot);
      if (now.is_forward()) {
        sink.forward(stage[now.step], now.micro_batch);
      } else if (now.is_backward()) {
        sink.backward_input(stage[now.step], now.micro_batch);
      } else if (behind < slot) {
        const detail::v_step then = block.at(behind);
        sink.backward_weight(stage[then.step], then.micro_batch);
        behind = block.next_backward(behind + 1);
      }
    }
  }
};

}  // namespace backstitch
