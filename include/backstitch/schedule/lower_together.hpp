// Lowering, early form: a send and its receive enter both ranks' lists at the same moment.
//
// Safe under blocking sends for every schedule, placement and skip edge, at the price of early
// receives; the rule and the order of PyTorch's pipelining runtime. No groups but overlapped pairs.
//
// The ranks take turns, one op of work per visit. O(actions + sweeps * ranks).
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/link.hpp"
#include "backstitch/schedule/lower.hpp"
#include "backstitch/schedule/scratch.hpp"
#include "backstitch/schedule/shape.hpp"
#include "backstitch/schedule/timetable.hpp"

namespace backstitch::detail {

// Sweeps over the ranks, ascending. A later rank may use a message in the very sweep in which it
// was sent, unless there are skip edges: with them it counts as the next sweep, as if all ops took
// the same time, since a far receiver would get one slot only. The state is plain arrays, so that
// it can be carried from one constant evaluation to the next. 0 in all parameters for sizes that
// are known at run time only.
template <int Ranks = 0, int Links = 0, int MicroBatches = 0>
class together_lowerer {
 public:
  constexpr together_lowerer(const shape& s, const link_view& links)
      : strict_(has_skip_link(links)),
        micro_batches_(s.micro_batches),
        next_(s.ranks),
        pairs_(s.ranks),
        paused_(s.ranks),
        made_(links.count * s.micro_batches) {}

  // The entry that each rank stands at.
  constexpr const int* next() const { return next_.at; }
  // No rank can go on.
  constexpr bool stopped() const { return stopped_; }

  // Runs `count` sweeps and writes what the ranks do: out.add(rank, action). `pauses[r][i]`: sweeps
  // that rank r lets pass before its entry i; null: none.
  template <int Stages, int IndexLinks, class Out>
  constexpr void run(const shape& s, const link_view& links,
                     const link_index<Stages, IndexLinks>& index, const program_view& work,
                     int count, Out& out, const int* const* pauses = nullptr) {
    for (int n = 0; n < count && !stopped_; ++n) {
      stopped_ = true;
      ++sweep_;
      for (int r = 0; r < s.ranks; ++r) {
        const int first = next_.at[r];
        if (first >= work.count[r]) continue;
        if (pauses != nullptr && paused_.at[r] < pauses[r][first]) {
          ++paused_.at[r];
          stopped_ = false;
          continue;
        }
        const action* list = work.list[r];
        const int width = list[first].group < 0 ? 1 : pair_length(list, work.count[r], first);
        if (!ready(index, list + first, width)) continue;
        stopped_ = false;
        paused_.at[r] = 0;
        next_.at[r] = first + width;
        const int group = width > 1 ? pairs_.at[r]++ : -1;
        for (int i = first; i < first + width; ++i) {
          out.add(r, {list[i].kind, list[i].stage, list[i].micro_batch, -1, group});
        }
        for (int i = first; i < first + width; ++i) {
          const action& a = list[i];
          if (a.kind == action_kind::backward_weight) continue;
          const int key = a.kind == action_kind::forward ? 2 * a.stage : 2 * a.stage + 1;
          const int m = a.micro_batch;
          for (int l = index.first_out.at[key]; l >= 0; l = index.next_out.at[l]) {
            const link& k = links.at[l];
            const int to = s.rank_of_stage[k.to];
            made_.at[l * micro_batches_ + m] = sweep_;
            if (to == r) continue;
            out.add(r, {send_kind(k.made), k.from, m, l, -1});
            out.add(to, {receive_kind(k.made), k.to, m, l, -1});
          }
        }
      }
    }
  }

 private:
  bool strict_;
  bool stopped_ = false;
  int sweep_ = 0;  // from 1
  int micro_batches_;
  scratch<int, Ranks> next_, pairs_, paused_;
  scratch<int, Links * MicroBatches> made_;  // the sweep in which the value was made

  template <class Index>
  constexpr bool ready(const Index& index, const action* work, int width) const {
    for (int i = 0; i < width; ++i) {
      const action& a = work[i];
      if (a.kind == action_kind::backward_weight) continue;
      const int key = a.kind == action_kind::forward ? 2 * a.stage : 2 * a.stage + 1;
      for (int l = index.first_in.at[key]; l >= 0; l = index.next_in.at[l]) {
        const int made = made_.at[l * micro_batches_ + a.micro_batch];
        if (made == 0 || (strict_ && made == sweep_)) return false;
      }
    }
    return true;
  }
};

}  // namespace backstitch::detail
