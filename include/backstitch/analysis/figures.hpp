// What a valid schedule costs: times under given costs, idle time, memory. One pass in dependency
// order, O(actions).
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/link.hpp"
#include "backstitch/schedule/lower.hpp"
#include "backstitch/schedule/scratch.hpp"
#include "backstitch/schedule/shape.hpp"
#include "backstitch/schedule/timetable.hpp"

namespace backstitch {

// Time of one micro-batch through one stage, in any unit. An overlapped pair takes F and B.
struct costs {
  int forward = 1;          // F
  int backward = 2;         // B
  int backward_input = 1;   // I
  int backward_weight = 1;  // W
  int communication = 0;    // between two ranks; nothing else waits for it

  // Of an action of work.
  constexpr int of(action_kind k) const {
    return k == action_kind::forward          ? forward
           : k == action_kind::backward       ? backward
           : k == action_kind::backward_input ? backward_input
                                              : backward_weight;
  }
};

// The figures of one rank.
struct rank_figures {
  int start = 0;           // of the first op
  int end = 0;             // of the last op
  int busy = 0;            // time that the rank works
  int peak_in_flight = 0;  // most (stage, micro-batch) between F and B or W at once
  int peak_pending = 0;    // most weight gradients between I and W at once
  // Idle time between the rank's own first and last op. "Zero bubble" schedules are about this one:
  // without a barrier between steps, the ranks' steps interlock.
  constexpr int span_idle() const { return end - start - busy; }
};

// The figures of a schedule.
template <int Ranks>
struct schedule_figures {
  int makespan = 0;                               // from time 0 to the end of the last op
  rank_figures rank[detail::extent(Ranks)] = {};  // of each rank
  // Share of the makespan that the ranks idle: 0 .. 1.
  constexpr double bubble() const {
    double work = 0;
    for (const rank_figures& r : rank) work += r.busy;
    return makespan == 0 ? 0.0 : 1.0 - work / (static_cast<double>(makespan) * Ranks);
  }
  // The largest share of its own span that a rank idles: 0 .. 1.
  constexpr double span_bubble() const {
    double most = 0;
    for (const rank_figures& r : rank) {
      const double share =
          r.end == r.start ? 0.0 : static_cast<double>(r.span_idle()) / (r.end - r.start);
      most = share > most ? share : most;
    }
    return most;
  }
};

namespace detail {

// When each piece of work ends, by chain of dependencies. `at`: 0: it has not run, else its end
// + 1.
template <int Stages = 0, int MicroBatches = 0>
struct work_times {
  int micro_batches;
  scratch<int, 3 * Stages * MicroBatches> at;  // F, B or I, W

  constexpr explicit work_times(const shape& s)
      : micro_batches(s.micro_batches), at(3 * s.stages * s.micro_batches) {}
  static constexpr int column(action_kind k) {
    return k == action_kind::forward ? 0 : k == action_kind::backward_weight ? 2 : 1;
  }
  constexpr int number(int column, int stage, int m) const {
    return (3 * stage + column) * micro_batches + m;
  }
  constexpr int end(const action& a) const {
    return at.at[number(column(a.kind), a.stage, a.micro_batch)] - 1;
  }
};

// Times a valid order of work and writes the figures of each rank; returns the makespan. In an
// order that is not valid some work never runs.
template <int Ranks = 0, int Stages = 0, int Links = 0, int MicroBatches = 0>
constexpr int time_work(const shape& s, const link_view& links,
                        const link_index<Stages, Links>& index, const program_view& work,
                        const costs& c, work_times<Stages, MicroBatches>& times,
                        rank_figures* out) {
  scratch<int, Ranks> next(s.ranks), clock(s.ranks), live(s.ranks), split(s.ranks);
  int makespan = 0;
  for (bool progress = true; progress;) {
    progress = false;
    for (int r = 0; r < s.ranks; ++r) {
      rank_figures& f = out[r];
      const action* list = work.list[r];
      for (; next.at[r] < work.count[r]; progress = true) {
        const int first = next.at[r], end = first + pair_length(list, work.count[r], first);
        int start = clock.at[r], cost = 0;
        bool ready = true;
        for (int i = first; i < end; ++i) {
          const action& a = list[i];
          cost += c.of(a.kind);
          const int p = phase_of(a.kind);
          if (p == 1) {
            const int own = times.at.at[times.number(0, a.stage, a.micro_batch)];
            ready = ready && own != 0;
          }
          for (int l = p < 0 ? -1 : index.first_in.at[2 * a.stage + p]; l >= 0;
               l = index.next_in.at[l]) {
            const link& k = links.at[l];
            const int made =
                times.at.at[times.number(static_cast<int>(k.made), k.from, a.micro_batch)];
            const int there = made - 1 + (s.rank_of(k.from) == r ? 0 : c.communication);
            ready = ready && made != 0;
            start = there > start ? there : start;
          }
        }
        if (!ready) break;
        if (first == 0) f.start = start;
        clock.at[r] = f.end = start + cost;
        f.busy += cost;
        for (int i = first; i < end; ++i) {
          const action& a = list[i];
          times.at.at[times.number(times.column(a.kind), a.stage, a.micro_batch)] = f.end + 1;
          if (a.kind == action_kind::forward) ++live.at[r];
          if (live.at[r] > f.peak_in_flight) f.peak_in_flight = live.at[r];
          if (a.kind == action_kind::backward_input) ++split.at[r];
          if (split.at[r] > f.peak_pending) f.peak_pending = split.at[r];
          if (a.kind == action_kind::backward_weight) --split.at[r];
          if (a.kind == action_kind::backward || a.kind == action_kind::backward_weight) {
            --live.at[r];
          }
        }
        next.at[r] = end;
      }
      makespan = f.end > makespan ? f.end : makespan;
    }
  }
  return makespan;
}

}  // namespace detail
}  // namespace backstitch
