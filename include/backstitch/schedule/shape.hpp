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

// What a policy's generator is given: the sizes and who owns which stage.
//
// A schedule may run several copies of the model at once (`pipes`, bidirectional schedules). The
// copies' stages are numbered on: copy p of S model stages has the stages p*S .. p*S+S-1, and runs
// the micro-batches p*M/P .. (p+1)*M/P-1.
struct shape {
  int ranks = 1;                        // workers
  int stages = 1;                       // pieces of the model, of all copies together
  int micro_batches = 1;                // per step, of all copies together
  int pipes = 1;                        // copies of the model
  int chunks = 1;                       // most stages on one rank
  const int* rank_of_stage = nullptr;   // `stages` numbers
  const int* stage_of_chunk = nullptr;  // ranks * chunks numbers, -1: the rank has no such chunk
  const int* chunk_of_stage = nullptr;  // `stages` numbers: the chunk that the stage is on its rank

  // The worker that owns a stage.
  constexpr int rank_of(int stage) const { return rank_of_stage[stage]; }
  // The micro-batches that a stage works on: all of them, or the share of its copy.
  constexpr int first_micro_batch(int stage) const {
    return stage / (stages / pipes) * (micro_batches / pipes);
  }
  // How many these are.
  constexpr int micro_batches_per_stage() const { return micro_batches / pipes; }
  // The stages of a rank, in ascending order: chunk 0, 1, ...
  constexpr int stage(int rank, int chunk) const { return stage_of_chunk[rank * chunks + chunk]; }
};

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
