// What a schedule policy is: a tag type with one constexpr generator.
//
//   struct f_then_b {
//     static constexpr int min_micro_batches(int ranks);             // the least legal M
//     template <class Sink>
//     static constexpr void generate(shape s, int rank, Sink& sink);  // the rank's order
//   };
//
// The generator calls `sink.forward(stage, micro_batch)` and `sink.backward(stage, micro_batch)` in
// the order in which the rank works. It knows no op and no device. The same function fills the
// compile-time table and a run-time list, so there is one truth.
//
// Optional: `using try_instead = another_policy;` is named when there are too few micro-batches.
#pragma once

#include "backstitch/schedule/shape.hpp"

#include <concepts>

namespace backstitch {
namespace detail {

struct sink_archetype {
  constexpr void forward(int, int) {}
  constexpr void backward(int, int) {}
};

template <class Policy>
struct alternative_to {
  using type = Policy;
};
template <class Policy>
  requires requires { typename Policy::try_instead; }
struct alternative_to<Policy> {
  using type = typename Policy::try_instead;
};

}  // namespace detail

// Satisfied by types with `min_micro_batches` and a generator over any sink.
template <class P>
concept schedule_policy = requires(shape s, detail::sink_archetype sink) {
  { P::min_micro_batches(1) } -> std::convertible_to<int>;
  P::generate(s, 0, sink);
};

}  // namespace backstitch
