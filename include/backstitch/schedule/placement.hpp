// Placement: which rank owns which stage. An input of its own beside the order of work.
#pragma once

#include "backstitch/extent.hpp"

namespace backstitch {
namespace placement {

// Stage s on rank s mod R: with several stages per rank the last rank hands on to the first one
// (arXiv 2104.04473).
struct loop {
  // The rank of a stage.
  static constexpr int rank_of(int stage, int ranks, int /*stages*/, int /*pipes*/) {
    return stage % ranks;
  }
};

// Down the ranks and up again, as often as the stages ask for: two neighbouring stages at each turn
// share a rank, so the turn costs no message. Hanayo (arXiv 2308.15762).
struct wave {
  // The rank of a stage.
  static constexpr int rank_of(int stage, int ranks, int /*stages*/, int /*pipes*/) {
    const int lap = stage / ranks, at = stage % ranks;
    return lap % 2 == 0 ? at : ranks - 1 - at;
  }
};

// A wave of two laps: rank r owns stages r and 2R-1-r (arXiv 2401.10241, section 6).
struct v : wave {};

// Copies of the model in both directions. Odd copies run up the ranks. With more than two, each
// further pair of copies starts R/(P/2) ranks on (Chimera, arXiv 2107.06925; DualPipe).
struct bidirectional {
  // The rank of a stage.
  static constexpr int rank_of(int stage, int ranks, int stages, int pipes) {
    const int of_one = stages / pipes;
    const int pipe = stage / of_one, at = stage % of_one;
    const int start = pipes < 4 ? 0 : (pipe / 2) * (ranks / (pipes / 2));
    const int down = (at + start) % ranks;
    return pipe % 2 == 0 ? down : ranks - 1 - down;
  }
};

// Any map: the rank of stage 0, 1, ...
template <int... Ranks>
struct map {
  // The rank of a stage.
  static constexpr int rank_of(int stage, int /*ranks*/, int /*stages*/, int /*pipes*/) {
    const int table[] = {Ranks..., -1};
    return stage < int{sizeof...(Ranks)} ? table[stage] : -1;
  }
};

}  // namespace placement

namespace detail {

// A placement at given sizes, as tables to look up in both directions. A stage that stands on no
// rank is left out of `stage_of_chunk`; the contract reports it.
template <int Ranks, int Stages>
struct placement_table {
  int chunks = 0;  // most stages on one rank
  int rank_of[extent(Stages)] = {};
  int count[extent(Ranks)] = {};  // stages of each rank
  int stage_of_chunk[extent(Ranks * Stages)] = {};
  int chunk_of_stage[extent(Stages)] = {};
};

// O(stages + ranks * chunks). `stage_of_chunk` holds ranks * chunks numbers.
template <class Placement>
constexpr void place_stages(int ranks, int stages, int pipes, int* rank_of, int* count,
                            int& chunks) {
  for (int s = 0; s < stages; ++s) {
    rank_of[s] = Placement::rank_of(s, ranks, stages, pipes);
    if (rank_of[s] < 0 || rank_of[s] >= ranks) continue;
    if (++count[rank_of[s]] > chunks) chunks = count[rank_of[s]];
  }
}
constexpr void list_chunks(int ranks, int stages, int chunks, const int* rank_of, int* count,
                           int* stage_of_chunk, int* chunk_of_stage) {
  for (int i = 0; i < ranks * chunks; ++i) stage_of_chunk[i] = -1;
  for (int r = 0; r < ranks; ++r) count[r] = 0;
  for (int s = 0; s < stages; ++s) {
    const int r = rank_of[s];
    if (r < 0 || r >= ranks) continue;
    chunk_of_stage[s] = count[r];
    stage_of_chunk[r * chunks + count[r]++] = s;
  }
}

template <class Placement, int Ranks, int Stages>
constexpr auto make_placement(int pipes) {
  placement_table<Ranks, Stages> t;
  place_stages<Placement>(Ranks, Stages, pipes, t.rank_of, t.count, t.chunks);
  list_chunks(Ranks, Stages, t.chunks, t.rank_of, t.count, t.stage_of_chunk, t.chunk_of_stage);
  return t;
}

}  // namespace detail
}  // namespace backstitch
