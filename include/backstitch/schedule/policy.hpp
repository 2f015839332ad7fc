// What a schedule policy is: a tag type with one constexpr generator.
//
//     struct f_then_b {
//       static constexpr int min_micro_batches(int ranks);             // the least legal M
//       template <class Sink>
//       static constexpr void generate(shape s, int rank, Sink& sink);  // its order
//     };
//
// The generator calls `sink.forward(stage, micro_batch)` and `sink.backward(stage, micro_batch)` in
// the order in which the rank works. It knows no op and no device. The same function fills the
// compile-time table and a run-time list, so there is one truth.
//
// Optional: `static another_policy try_instead();`, declared only, is named when there are too few
// micro-batches. (A function, since nvcc prints an alias by the alias's own name.)
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/schedule/shape.hpp"

#include <concepts>

namespace backstitch {
namespace detail {

struct sink_archetype {
  constexpr void forward(int, int) {}
  constexpr void backward(int, int) {}
};

// The policy to name when this one needs more micro-batches: its `try_instead`, else itself.
template <class Policy>
constexpr auto alternative() {
  if constexpr (requires { Policy::try_instead(); }) {
    return type_is<decltype(Policy::try_instead())>{};
  } else {
    return type_is<Policy>{};
  }
}
template <class Policy>
using alternative_to = typename decltype(alternative<Policy>())::type;

}  // namespace detail

// Satisfied by types with `min_micro_batches` and a generator over any sink.
template <class P>
concept schedule_policy = requires(shape s, detail::sink_archetype sink) {
  { P::min_micro_batches(1) } -> std::convertible_to<int>;
  P::generate(s, 0, sink);
};

}  // namespace backstitch
