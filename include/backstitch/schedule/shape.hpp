// The sizes of a schedule, as tags for template arguments and as plain numbers.
#pragma once

namespace backstitch {

// Workers, each of which owns one device.
template <int R>
struct ranks {
  static constexpr int value = R;  // the count
};

// Micro-batches per step. A count, not a size in rows.
template <int M>
struct micro_batches {
  static constexpr int value = M;  // the count
};

// What a policy's generator is given. `stages` is a multiple of `ranks`.
struct shape {
  int ranks = 1;          // workers
  int stages = 1;         // pieces of the model
  int micro_batches = 1;  // per step
};

// Loop placement: stage s stands on rank s mod R.
constexpr int rank_of_stage(int stage, int ranks) { return stage % ranks; }

namespace detail {

template <class T>
inline constexpr bool is_ranks = false;
template <int R>
inline constexpr bool is_ranks<ranks<R>> = R >= 1;

template <class T>
inline constexpr bool is_micro_batches = false;
template <int M>
inline constexpr bool is_micro_batches<micro_batches<M>> = true;

}  // namespace detail
}  // namespace backstitch
