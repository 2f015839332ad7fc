// How messages travel between ranks: what a program is proven against.
#pragma once

namespace backstitch {

// Which messages share an untagged channel, which hands them over in the order in which they were
// sent.
enum class channel_order : int {
  tagged,          // each message is known by its link and micro-batch
  rank_pair,       // all messages between two ranks, both directions (one NCCL communicator)
  directed_pair,   // all messages from one rank to another
  direction_kind,  // the same, activations and gradients apart
};

// A channel model as plain numbers.
struct channel_model {
  // Of a capacity: any number of messages.
  static constexpr int unbounded = -1;
  // Messages that a link holds between their send and their receive. 0: a send waits for its
  // receive, and messages that start together end together.
  int capacity = 0;
  channel_order order = channel_order::tagged;  // what shares a queue
};

namespace channel {

// Blocking sends without any buffer, which is what MPI and NCCL promise. The default: a program
// that passes runs under every other model.
struct rendezvous {
  // As numbers.
  static constexpr channel_model model{0, channel_order::tagged};
};
// Each link buffers N messages.
template <int N>
struct capacity {
  static_assert(N >= 1, "a link buffers at least one message; use rendezvous for none");
  // As numbers.
  static constexpr channel_model model{N, channel_order::tagged};
};
// Buffers without bound, messages known by tag (MPI's eager protocol).
struct tagged {
  // As numbers.
  static constexpr channel_model model{channel_model::unbounded, channel_order::tagged};
};
// Buffers without bound, no tags: one queue per pair of ranks.
struct fifo_per_rank_pair {
  // As numbers.
  static constexpr channel_model model{channel_model::unbounded, channel_order::rank_pair};
};
// One queue per pair of ranks and direction.
struct fifo_per_directed_pair {
  // As numbers.
  static constexpr channel_model model{channel_model::unbounded, channel_order::directed_pair};
};
// One queue per pair of ranks, direction and phase.
struct fifo_per_direction_kind {
  // As numbers.
  static constexpr channel_model model{channel_model::unbounded, channel_order::direction_kind};
};

}  // namespace channel

namespace detail {

template <class T>
concept channel_tag = requires {
  {T::model.capacity + 0};
  {T::model.order == channel_order::tagged};
};

}  // namespace detail
}  // namespace backstitch
