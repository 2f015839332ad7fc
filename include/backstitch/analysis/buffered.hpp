// Runs the messages of all ranks side by side where links have buffers, to see whether any rank
// waits for ever. A send is over when the link has room, a receive when its message is there (by
// tag). Lists must have been accepted by rank_rules. O(actions * largest group).
#pragma once

#include "backstitch/analysis/channel.hpp"
#include "backstitch/analysis/fault.hpp"
#include "backstitch/analysis/reduction.hpp"
#include "backstitch/analysis/wait_cycle.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/link.hpp"
#include "backstitch/schedule/scratch.hpp"
#include "backstitch/schedule/shape.hpp"
#include "backstitch/schedule/timetable.hpp"

namespace backstitch::detail {

// The state is plain arrays, so that it can be carried from one constant evaluation to the next.
// The sizes and tables are passed in each time, since pointers to them need not be carried. 0 in
// all parameters for sizes that are known at run time only.
template <int Ranks = 0, int Stages = 0, int Links = 0, int MicroBatches = 0>
class buffered_delivery {
 public:
  constexpr buffered_delivery(const shape& s, const link_view& links)
      : micro_batches_(s.micro_batches),
        reductions_(s),
        next_(s.ranks),
        ready_(s.ranks),
        queued_(s.ranks),
        over_(2 * links.count * s.micro_batches),
        held_(links.count) {
    for (int r = s.ranks - 1; r >= 0; --r) wake(r);
  }

  constexpr bool finished() const { return waiting_ == 0; }

  // Works off about `budget` entries.
  constexpr void run(const shape& s, const link_view& links, const program_view& p, int capacity,
                     int budget) {
    while (waiting_ > 0 && budget > 0) {
      const int r = ready_.at[--waiting_];
      queued_.at[r] = 0;
      advance(s, links, p, capacity, r, budget);
    }
  }

  // Once finished: the deadlock, or none.
  constexpr fault find_fault(const shape& s, const link_view& links, const program_view& p) const {
    bool stuck = false;
    for (int r = 0; r < s.ranks; ++r) stuck = stuck || next_.at[r] < p.count[r];
    if (!stuck) return {};
    wait_graph graph(s.ranks);
    for (int r = 0; r < s.ranks; ++r) {
      if (next_.at[r] == p.count[r]) continue;
      const action* group = p.list[r] + next_.at[r];
      if (group->kind == action_kind::reduce) {
        find_absent_owners(s, p, next_.at, *group, r, graph);
        continue;
      }
      const int n = group_length(p, r, next_.at[r]);
      for (int i = 0; i < n; ++i) {
        if (over_.at[number_of(group[i])] == 0) graph(r, peer_of(s, links, group[i]));
      }
    }
    return graph.find_fault(p, next_.at);
  }

 private:
  int micro_batches_;
  reductions<Ranks, Stages> reductions_;
  int waiting_ = 0;
  scratch<int, Ranks> next_;  // slot; of a rank that waits, the first of its group
  scratch<int, Ranks> ready_, queued_;
  scratch<int, 2 * Links * MicroBatches> over_;  // of each message, its send and its receive
  scratch<int, Links> held_;                     // messages in a link's buffer

  constexpr void wake(int r) {
    if (queued_.at[r] != 0) return;
    queued_.at[r] = 1;
    ready_.at[waiting_++] = r;
  }
  constexpr int number_of(const action& a) const {
    return 2 * (a.link * micro_batches_ + a.micro_batch) + (is_send(a.kind) ? 0 : 1);
  }
  static constexpr int group_length(const program_view& p, int r, int i) {
    const action* list = p.list[r];
    int n = 1;
    while (list[i].group >= 0 && i + n < p.count[r] && list[i + n].group == list[i].group) ++n;
    return n;
  }
  static constexpr int peer_of(const shape& s, const link_view& links, const action& a) {
    const link& k = links.at[a.link];
    return s.rank_of_stage[is_send(a.kind) ? k.to : k.from];
  }

  constexpr void advance(const shape& s, const link_view& links, const program_view& p,
                         int capacity, int r, int& budget) {
    int& i = next_.at[r];
    while (i < p.count[r]) {
      const action& a = p.list[r][i];
      if (--budget < 0) return wake(r);
      int n = 1;
      if (is_message(a.kind)) {
        n = group_length(p, r, i);
        if (!pass_group(s, links, &a, n, capacity)) return;
      } else if (a.kind == action_kind::reduce && !reduce(s, a, r)) {
        return;
      }
      i += n;
    }
  }

  // Tries the members that are not over; whether all are.
  constexpr bool pass_group(const shape& s, const link_view& links, const action* group, int n,
                            int capacity) {
    bool all = true;
    for (int i = 0; i < n; ++i) {
      const action& a = group[i];
      const int number = number_of(a);
      if (over_.at[number] != 0) continue;
      const bool sends = is_send(a.kind);
      const bool possible =
          sends ? capacity == channel_model::unbounded || held_.at[a.link] < capacity
                : over_.at[number - 1] != 0;
      if (!possible) {
        all = false;
        continue;
      }
      over_.at[number] = 1;
      held_.at[a.link] += sends ? 1 : -1;
      wake(peer_of(s, links, a));
    }
    return all;
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
};

}  // namespace backstitch::detail
