// Breadth-first over looped stages: a rank's first stage runs all micro-batches, then its second
// one; backwards in the opposite order, as in PyTorch. arXiv 2211.05953.
//
// Any M. Peak: VM micro-batches of a stage on every rank. Idle: (R-1)(F+B), F and B of one stage,
// from M = R on; each micro-batch less costs (V-1)(F+B).
#pragma once

#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// V stages per rank.
template <int V>
  requires(V >= 1)
struct looped_bfs {
  static constexpr const char* name = "looped_bfs";  // for pictures and messages
  static constexpr int chunks = V;                   // stages per rank

  // The least legal number of micro-batches.
  static constexpr int min_micro_batches(int /*ranks*/) { return 1; }
  // The other rules on the sizes.
  static constexpr precondition accept(shape s) { return detail::stages_on_every_rank(s, V); }
  // The peak.
  static constexpr int max_in_flight(shape s, int /*rank*/) { return V * s.micro_batches; }

  // Emits the rank's order into a sink. O(VM).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    for (int c = 0; c < V; ++c) {
      for (int m = 0; m < s.micro_batches; ++m) sink.forward(s.stage(rank, c), m);
    }
    for (int c = V - 1; c >= 0; --c) {
      for (int m = s.micro_batches - 1; m >= 0; --m) sink.backward(s.stage(rank, c), m);
    }
  }
};

}  // namespace backstitch
