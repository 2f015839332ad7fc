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

// What one rank does for a micro-batch, repeated for each: forward on the way down and up, input
// halves on the way back down and up.
struct v_block {
  static constexpr int period = 6;  // slots to the next micro-batch: three kinds, two stages
  static constexpr int none = 4;    // no step: room for a weight half

  int first[4];  // slot of each step for micro-batch 0, ascending; all differ modulo the period
  int count;     // micro-batches

  // Behind the last step.
  constexpr int end() const { return count < 1 ? 0 : first[3] + period * (count - 1) + 1; }
  // 0 .. 3, or `none`.
  constexpr int step_at(int slot) const {
    int step = 0;
    while (step < none && !(slot >= first[step] && (slot - first[step]) % period == 0 &&
                            (slot - first[step]) / period < count)) {
      ++step;
    }
    return step;
  }
  constexpr int micro_batch_at(int slot, int step) const {
    return step == none ? -1 : (slot - first[step]) / period;
  }
  // The first slot from this one on with an input half, or the end.
  constexpr int next_backward(int slot) const {
    while (slot < end() && step_at(slot) % none < 2) ++slot;
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
    int behind = 0;  // slot whose weight half is next: first in, first out
    for (int slot = 0; slot < block.end(); ++slot) {
      const int step = block.step_at(slot), m = block.micro_batch_at(slot, step);
      if (step == block.none) {
        behind = block.next_backward(behind);
        if (behind < slot) emit_weight(block, stage, behind++, sink);
      } else if (step < 2) {
        sink.forward(stage[step], m);
      } else {
        sink.backward_input(stage[step], m);
      }
    }
    for (behind = block.next_backward(behind); behind < block.end();
         behind = block.next_backward(behind)) {
      emit_weight(block, stage, behind++, sink);
    }
  }

 private:
  template <class Sink>
  static constexpr void emit_weight(const detail::v_block& block, const int* stage, int slot,
                                    Sink& sink) {
    const int step = block.step_at(slot);
    sink.backward_weight(stage[step], block.micro_batch_at(slot, step));
  }
};

}  // namespace backstitch
