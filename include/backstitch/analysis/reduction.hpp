// Reductions over the copies of a model stage: a rank stops at one until every owner stands there.
#pragma once

#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/scratch.hpp"
#include "backstitch/schedule/shape.hpp"
#include "backstitch/schedule/timetable.hpp"

namespace backstitch::detail {

// Who has arrived at the reduction of each model stage. `Ranks`, `Stages`: 0 for sizes that are
// known at run time only.
template <int Ranks = 0, int Stages = 0>
class reductions {
 public:
  constexpr explicit reductions(const shape& s) : arrived_(s.stages), waits_(s.ranks) {}

  // The rank stands at the reduction of `stage`. 0: it waits; 1: it goes on; 2: it was the last one
  // to come, and the other owners go on as well.
  constexpr int arrive(const shape& s, int stage, int rank) {
    const int of_one = s.stages / s.pipes, model_stage = stage % of_one;
    int owners = 0;
    for (int i = model_stage; i < s.stages; i += of_one) owners += first_on_rank(s, i) ? 1 : 0;
    if (waits_.at[rank] != 0) {
      if (arrived_.at[model_stage] < owners) return 0;
      waits_.at[rank] = 0;
      return 1;
    }
    if (++arrived_.at[model_stage] >= owners) return 2;
    waits_.at[rank] = 1;
    return 0;
  }

 private:
  scratch<int, Stages> arrived_;  // ranks, by model stage
  scratch<int, Ranks> waits_;

  // Whether no lower copy of the model stage stands on the same rank.
  static constexpr bool first_on_rank(const shape& s, int stage) {
    const int of_one = s.stages / s.pipes;
    for (int i = stage % of_one; i < stage; i += of_one) {
      if (s.rank_of_stage[i] == s.rank_of_stage[stage]) return false;
    }
    return true;
  }
};

// Who a rank at a reduction waits for: owners that stand elsewhere. add(rank).
template <class Add>
constexpr void find_absent_owners(const shape& s, const program_view& p, const int* next,
                                  const action& a, int rank, Add& add) {
  const int of_one = s.stages / s.pipes;
  for (int i = a.stage % of_one; i < s.stages; i += of_one) {
    const int q = s.rank_of_stage[i];
    if (q == rank) continue;
    const bool stands = next[q] < p.count[q] && p.list[q][next[q]].kind == action_kind::reduce &&
                        p.list[q][next[q]].stage % of_one == a.stage % of_one;
    if (!stands) add(rank, q);
  }
}

}  // namespace backstitch::detail
