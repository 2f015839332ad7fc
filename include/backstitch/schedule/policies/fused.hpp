// fused<Policy>: a policy that splits the backward, run with whole backwards: B where the policy
// has I, nothing where it has W. For models whose ops do both halves at once.
#pragma once

#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {
namespace detail {

// Passes on what a policy emits, with every backward as a whole.
template <class Sink>
struct fusing_sink {
  Sink& to;
  constexpr void forward(int stage, int m) { to.forward(stage, m); }
  constexpr void backward(int stage, int m) { to.backward(stage, m); }
  constexpr void backward_input(int stage, int m) { to.backward(stage, m); }
  constexpr void backward_weight(int /*stage*/, int /*m*/) {}
  constexpr void overlap(int f_stage, int f_m, int b_stage, int b_m) {
    to.overlap(f_stage, f_m, b_stage, b_m);
  }
};

}  // namespace detail

// The order of `Policy` with whole backwards. Its bubble is that of the policy with W done right
// after I: no longer zero.
template <class Policy>
struct fused {
  static constexpr const char* name = "fused";                // for pictures and messages
  static constexpr int chunks = detail::chunks_of<Policy>();  // stages per rank
  static constexpr int pipes = detail::pipes_of<Policy>();    // copies of the model
  static constexpr int sequence_splits =
      detail::sequence_splits_of<Policy>();  // pieces of a micro-batch
  // Where the stages stand.
  using placement_type = typename decltype(detail::placement_of<Policy>())::type;

  // The sizes that the policy accepts.
  static constexpr precondition accept(shape s) { return check_sizes<Policy>(s); }

  // Emits the rank's order. As the policy does.
  template <class Sink>
    requires detail::generates_per_rank<Policy>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    detail::fusing_sink<Sink> to{sink};
    Policy::generate(s, rank, to);
  }
  // The same for policies that lay out all ranks at once.
  template <class Sink>
    requires detail::generates_all_ranks<Policy>
  static constexpr void generate(shape s, Sink& sink) {
    detail::fusing_sink<Sink> to{sink};
    Policy::generate(s, to);
  }
};

}  // namespace backstitch
