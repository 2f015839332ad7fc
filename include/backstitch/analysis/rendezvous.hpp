// Runs the messages of all ranks side by side with blocking sends and no buffer, to see whether any
// rank waits for ever. Work costs nothing here; whether it stands in the right place is for
// rank_rules, which must have accepted every list.
//
// A message is matched when both its ends stand in groups that have started. Groups that share a
// matched message end together, when all messages of all of them are matched: each rank waits for
// its whole batch. Nearly always these are two groups of the same messages, which are compared in
// place; only when no rank can go on that way are the groups of all ranks looked at together.
// O(actions) for such programs.
#pragma once

#include "backstitch/analysis/fault.hpp"
#include "backstitch/analysis/reduction.hpp"
#include "backstitch/analysis/wait_cycle.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/link.hpp"
#include "backstitch/schedule/scratch.hpp"
#include "backstitch/schedule/shape.hpp"
#include "backstitch/schedule/timetable.hpp"

namespace backstitch::detail {

// The state is small and plain, so that it can be carried from one constant evaluation to the next;
// what it works on is passed in each time. `Ranks`, `Stages`: 0 for sizes that are known at run
// time only.
template <int Ranks = 0, int Stages = 0>
class rendezvous {
 public:
  constexpr explicit rendezvous(const shape& s)
      : reductions_(s), next_(s.ranks), started_(s.ranks), ready_(s.ranks), queued_(s.ranks) {
    for (int r = s.ranks - 1; r >= 0; --r) wake(r);
  }

  constexpr bool finished() const { return finished_; }

  // Works off about `budget` entries.
  constexpr void run(const shape& s, const link_view& links, const program_view& p, int budget) {
    while (!finished_ && budget > 0) {
      if (waiting_ == 0) {
        finished_ = !complete_components(s, links, p);
        continue;
      }
      const int r = ready_.at[--waiting_];
      queued_.at[r] = 0;
      if (started_.at[r] == 0) advance(s, links, p, r, budget);
    }
  }

  // Once finished: the deadlock, or none.
  constexpr fault find_fault(const shape& s, const link_view& links, const program_view& p) const {
    bool stuck = false;
    for (int r = 0; r < s.ranks; ++r) stuck = stuck || next_.at[r] < p.count[r];
    if (!stuck) return {};
    wait_graph graph(s.ranks);
    scratch<int> component(s.ranks), unmatched(s.ranks);
    find_components(s, links, p, component.at, unmatched.at);
    for (int r = 0; r < s.ranks; ++r) {
      if (next_.at[r] == p.count[r]) continue;
      const action& a = p.list[r][next_.at[r]];
      if (a.kind == action_kind::reduce) {
        find_absent_owners(s, p, next_.at, a, r, graph);
      } else if (unmatched.at[r] > 0) {
        for (int i = next_.at[r]; i < end_of_group(p, r); ++i) {
          if (!is_matched(s, links, p, p.list[r][i])) graph(r, peer_of(s, links, p.list[r][i]));
        }
      } else {
        // All its own are matched: the ranks of its component that lack one.
        for (int q = 0; q < s.ranks; ++q) {
          if (component.at[q] == component.at[r] && unmatched.at[q] > 0) graph(r, q);
        }
      }
    }
    return graph.find_fault(p, next_.at);
  }

 private:
  reductions<Ranks, Stages> reductions_;
  int waiting_ = 0;
  bool finished_ = false;
  scratch<int, Ranks> next_;     // slot; of a rank that waits, the first of its group
  scratch<int, Ranks> started_;  // 1: the group at `next_` has started
  scratch<int, Ranks> ready_, queued_;

  constexpr void wake(int r) {
    if (queued_.at[r] != 0) return;
    queued_.at[r] = 1;
    ready_.at[waiting_++] = r;
  }
  static constexpr int peer_of(const shape& s, const link_view& links, const action& a) {
    const link& k = links.at[a.link];
    return s.rank_of_stage[is_send(a.kind) ? k.to : k.from];
  }
  // Behind the messages that start together with the one that the rank stands at.
  constexpr int end_of_group(const program_view& p, int r) const {
    const action* list = p.list[r];
    int end = next_.at[r] + 1;
    if (list[next_.at[r]].group < 0) return end;
    while (end < p.count[r] && list[end].group == list[next_.at[r]].group) ++end;
    return end;
  }

  constexpr void advance(const shape& s, const link_view& links, const program_view& p, int r,
                         int& budget) {
    const action* list = p.list[r];
    const int count = p.count[r];
    int i = next_.at[r], left = budget;
    for (; i < count; --left) {
      const action& a = list[i];
      const int kind = static_cast<int>(a.kind);
      if (kind < static_cast<int>(action_kind::send_forward)) {
        ++i;
        continue;
      }
      if (left <= 0) {
        wake(r);
        break;
      }
      if (kind >= static_cast<int>(action_kind::release)) {
        if (a.kind == action_kind::reduce && !reduce(s, a, r)) break;
        ++i;
        continue;
      }
      // What the other end stands at.
      const link& k = links.at[a.link];
      const bool sends =
          a.kind == action_kind::send_forward || a.kind == action_kind::send_backward;
      const int q = s.rank_of_stage[sends ? k.to : k.from];
      started_.at[r] = 1;
      if (started_.at[q] == 0) break;
      const action* theirs = p.list[q] + next_.at[q];
      int n = 1;
      if (a.group < 0) {
        if (theirs->link != a.link || theirs->micro_batch != a.micro_batch || theirs->group >= 0) {
          break;
        }
      } else {
        const action& b = list[i + 1 < count ? i + 1 : i];
        const bool crossed = theirs->link != a.link || theirs->micro_batch != a.micro_batch;
        if (b.group != a.group || theirs->group < 0 || next_.at[q] + 1 >= p.count[q]) break;
        const action& first = theirs[crossed ? 1 : 0];
        const action& second = theirs[crossed ? 0 : 1];
        if (first.link != a.link || first.micro_batch != a.micro_batch || second.link != b.link ||
            second.micro_batch != b.micro_batch || second.group != first.group) {
          break;
        }
        n = 2;
        if (i + 2 < count && list[i + 2].group == a.group) break;
        if (next_.at[q] + 2 < p.count[q] && theirs[2].group == theirs->group) break;
      }
      started_.at[r] = started_.at[q] = 0;
      next_.at[q] += n;
      if (queued_.at[q] == 0) {
        queued_.at[q] = 1;
        ready_.at[waiting_++] = q;
      }
      i += n;
    }
    next_.at[r] = i;
    budget = left;
  }

  // Whether the rank may go on.
  constexpr bool reduce(const shape& s, const action& a, int r) {
    const int verdict = reductions_.arrive(s, a.stage, r);
    const int of_one = s.stages / s.pipes;
    for (int i = a.stage % of_one; verdict == 2 && i < s.stages; i += of_one) {
      if (s.rank_of_stage[i] != r) wake(s.rank_of_stage[i]);
    }
    return verdict != 0;
  }

  // -- when no two ranks match in place

  constexpr bool is_matched(const shape& s, const link_view& links, const program_view& p,
                            const action& a) const {
    const int q = peer_of(s, links, a);
    if (started_.at[q] == 0) return false;
    for (int i = next_.at[q]; i < end_of_group(p, q); ++i) {
      const action& b = p.list[q][i];
      if (b.link == a.link && b.micro_batch == a.micro_batch) return true;
    }
    return false;
  }
  // The component of each rank's group, and how many of its own messages are not matched.
  constexpr void find_components(const shape& s, const link_view& links, const program_view& p,
                                 int* component, int* unmatched) const {
    for (int r = 0; r < s.ranks; ++r) component[r] = r;
    for (int r = 0; r < s.ranks; ++r) {
      if (started_.at[r] == 0) continue;
      for (int i = next_.at[r]; i < end_of_group(p, r); ++i) {
        if (!is_matched(s, links, p, p.list[r][i])) {
          ++unmatched[r];
          continue;
        }
        const int from = component[peer_of(s, links, p.list[r][i])], to = component[r];
        for (int q = 0; from != to && q < s.ranks; ++q) {
          if (component[q] == from) component[q] = to;
        }
      }
    }
  }
  // Whether any rank can go on.
  constexpr bool complete_components(const shape& s, const link_view& links,
                                     const program_view& p) {
    scratch<int> component(s.ranks), unmatched(s.ranks), missing(s.ranks);
    find_components(s, links, p, component.at, unmatched.at);
    for (int r = 0; r < s.ranks; ++r) missing.at[component.at[r]] += unmatched.at[r];
    for (int r = 0; r < s.ranks; ++r) {
      if (started_.at[r] == 0 || missing.at[component.at[r]] > 0) continue;
      const int end = end_of_group(p, r);
      unmatched.at[r] = end;  // kept until all have been looked at
    }
    bool any = false;
    for (int r = 0; r < s.ranks; ++r) {
      if (started_.at[r] == 0 || missing.at[component.at[r]] > 0) continue;
      next_.at[r] = unmatched.at[r];
      started_.at[r] = 0;
      wake(r);
      any = true;
    }
    return any;
  }
};

}  // namespace backstitch::detail
