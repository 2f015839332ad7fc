// Forward only: every rank passes the micro-batches on in order. Evaluation and inference.
//
// Any M. One micro-batch in flight per rank: nothing is kept for a backward. Idle: (R-1)F.
#pragma once

#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// No backward.
struct forward_only {
  static constexpr const char* name = "forward_only";  // for pictures and messages

  // The least legal number of micro-batches.
  static constexpr int min_micro_batches(int /*ranks*/) { return 1; }
  // The other rules on the sizes.
  static constexpr precondition accept(shape s) { return detail::stages_on_every_rank(s, 1); }
  // The peak.
  static constexpr int max_in_flight(shape, int /*rank*/) { return 1; }

  // Emits the rank's order into a sink. O(M).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    for (int m = 0; m < s.micro_batches; ++m) sink.forward(s.stage(rank, 0), m);
  }
};

namespace detail {

// A member of that name would have the name of its class, which C++ forbids.
template <>
constexpr bool is_forward_only<forward_only>() {
  return true;
}

}  // namespace detail
}  // namespace backstitch
