// 1F1B over pieces of a sequence: Q pieces of each micro-batch go forward in order and, since a
// piece attends to those before it, backward from the last one. Seq1F1B (arXiv 2406.03488).
//
// Piece q of micro-batch m counts as micro-batch mQ + q. Any M. Peak of stage r: min(MQ, R-1-r+Q)
// pieces in flight. Idle: (R-1)(F+B), F and B of one piece.
#pragma once

#include "backstitch/schedule/policies/in_pairs.hpp"
#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// Q pieces per micro-batch.
template <int Q>
  requires(Q >= 1)
struct seq_one_f_one_b {
  static constexpr const char* name = "seq_one_f_one_b";  // for pictures and messages
  static constexpr int sequence_splits = Q;               // pieces of a micro-batch

  // The least legal number of pieces.
  static constexpr int min_micro_batches(int /*ranks*/) { return Q; }
  // The other rules on the sizes.
  static constexpr precondition accept(shape s) {
    if (s.micro_batches % Q != 0) {
      return {size_rule::micro_batches_multiple_of, Q, s.micro_batches,
              detail::nearest_multiple(s.micro_batches, Q, Q)};
    }
    return detail::stages_on_every_rank(s, 1);
  }
  // The peak: what is warm, and the one at work.
  static constexpr int max_in_flight(shape s, int rank) {
    const int most = s.stages - 1 - s.stage(rank, 0) + Q;
    return most < s.micro_batches ? most : s.micro_batches;
  }

  // Emits the rank's order into a sink. O(MQ).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    const int stage = s.stage(rank, 0);
    detail::in_pairs(
        s.stages - 2 - stage + Q, s.micro_batches, [&](int i) { sink.forward(stage, i); },
        [&](int i) { sink.backward(stage, i / Q * Q + (Q - 1 - i % Q)); });
  }
};

}  // namespace backstitch
