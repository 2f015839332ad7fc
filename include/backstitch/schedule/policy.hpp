// What a schedule policy is: a tag type with one constexpr generator.
//
//     struct f_then_b {
//       template <class Sink>
//       static constexpr void generate(shape s, int rank, Sink& sink);  // the order of one rank
//     };
//
// The generator calls `sink.forward(stage, micro_batch)` and `sink.backward(stage, micro_batch)` in
// the order in which the rank works; a policy that splits the backward calls
// `sink.backward_input(stage, micro_batch)` and `sink.backward_weight(stage, micro_batch)`;
// `sink.overlap(f_stage, f_micro_batch, b_stage, b_micro_batch)` is a forward and a backward that
// run together. It knows no op and no device. The same function fills the compile-time table and a
// run-time list, so there is one truth. A policy whose ranks cannot be told apart before all are
// laid out has `generate(shape s, Sink& sink)` instead: one call, each action goes to the rank that
// owns its stage.
//
// Optional members:
//     static constexpr int chunks = 1;             stages per rank (a model of S stages: S/chunks
//     ranks) static constexpr int pipes = 1;              copies of the model (bidirectional
//     schedules) using placement_type = placement::loop;      where the stages stand unless the
//     user says static constexpr bool splits_backward = false;   emits I and W static constexpr
//     bool forward_only = false;      no backward at all static constexpr int sequence_splits = 1;
//     pieces of a micro-batch; each counts as one static constexpr int min_micro_batches(int
//     ranks);   the least legal M static constexpr precondition accept(shape);          any other
//     rule on the sizes static constexpr int max_in_flight(shape, int rank); a bound on the peak,
//     which is proven static another_policy try_instead();   declared only; named when there are
//     too few
//                                            micro-batches (a function, since nvcc prints an alias
//                                            by the alias's own name)
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/schedule/placement.hpp"
#include "backstitch/schedule/shape.hpp"

#include <concepts>

namespace backstitch {

// The rules that a policy may put on its sizes.
enum class size_rule : int {
  none,
  micro_batches_at_least,
  micro_batches_multiple_of,
  ranks_at_least,
  ranks_multiple_of,
  stages_per_rank,  // needed: stages on every rank
  group_at_least,   // interleaved schedules: micro-batches per group
  group_at_most,
  last_group_at_least,  // needed: micro-batches in the last, smaller group
};

// Whether a policy accepts the sizes it is given; if not, what it asks for.
struct precondition {
  size_rule broken = size_rule::none;  // `none`: accepted
  int needed = 0;                      // the bound or factor
  int got = 0;                         // what was given
  int nearest = 0;                     // the nearest legal value of it; of a last group that is too
                                       // small, the nearest legal number of micro-batches
};

namespace detail {

struct sink_archetype {
  constexpr void forward(int, int) {}
  constexpr void backward(int, int) {}
  constexpr void backward_input(int, int) {}
  constexpr void backward_weight(int, int) {}
  constexpr void overlap(int, int, int, int) {}
};

template <class P>
concept generates_per_rank = requires(shape s, sink_archetype sink) {
  P::generate(s, 0, sink);
};
template <class P>
concept generates_all_ranks = requires(shape s, sink_archetype sink) {
  P::generate(s, sink);
};

template <class P>
constexpr int chunks_of() {
  if constexpr (requires { P::chunks; }) {
    return P::chunks;
  } else {
    return 1;
  }
}
template <class P>
constexpr int pipes_of() {
  if constexpr (requires { P::pipes; }) {
    return P::pipes;
  } else {
    return 1;
  }
}
template <class P>
constexpr bool splits_backward() {
  if constexpr (requires { P::splits_backward; }) {
    return P::splits_backward;
  } else {
    return false;
  }
}
template <class P>
constexpr bool is_forward_only() {
  if constexpr (requires { P::forward_only; }) {
    return P::forward_only;
  } else {
    return false;
  }
}
template <class P>
constexpr int sequence_splits_of() {
  if constexpr (requires { P::sequence_splits; }) {
    return P::sequence_splits;
  } else {
    return 1;
  }
}
template <class P>
constexpr auto placement_of() {
  if constexpr (requires { typename P::placement_type; }) {
    return type_is<typename P::placement_type>{};
  } else {
    return type_is<placement::loop>{};
  }
}

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

// The policy's own rules, the least number of micro-batches first.
template <class P>
constexpr precondition check_sizes(shape s) {
  if constexpr (requires { P::min_micro_batches(s.ranks); }) {
    const int least = P::min_micro_batches(s.ranks);
    if (s.micro_batches < least) {
      return {size_rule::micro_batches_at_least, least, s.micro_batches, least};
    }
  }
  if constexpr (requires { P::accept(s); }) {
    return P::accept(s);
  } else {
    return {};
  }
}

// Satisfied by types with a generator over any sink.
template <class P>
concept schedule_policy = detail::generates_per_rank<P> || detail::generates_all_ranks<P>;

}  // namespace backstitch
