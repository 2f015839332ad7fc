// The shortest cycle of ranks that wait for each other.
#pragma once

#include "backstitch/analysis/fault.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/scratch.hpp"
#include "backstitch/schedule/timetable.hpp"

namespace backstitch::detail {

// Who waits for whom. Built only when a program is stuck.
class wait_graph {
 public:
  constexpr explicit wait_graph(int ranks)
      : ranks_(ranks), first_(ranks), next_(ranks * most_per_rank), to_(ranks * most_per_rank) {
    for (int r = 0; r < ranks; ++r) first_.at[r] = -1;
  }

  // `from` cannot go on before `to` does.
  constexpr void operator()(int from, int to) {
    int n = 0;
    for (int e = first_.at[from]; e >= 0; e = next_.at[e]) {
      if (to_.at[e] == to || ++n == most_per_rank) return;
    }
    to_.at[edges_] = to;
    next_.at[edges_] = first_.at[from];
    first_.at[from] = edges_++;
  }

  // The deadlock: the shortest cycle, and the place where its first rank stands (`next`, by rank).
  // O(ranks * edges).
  constexpr fault find_fault(const program_view& p, const int* next) const {
    fault out;
    find_shortest(out);
    int r = 0;
    while (out.waiting == 0 && next[r] >= p.count[r]) ++r;  // one that waits for a rank at its end
    if (out.waiting > 0) r = out.cycle[0];
    const action& a = p.list[r][next[r]];
    out.broken = rule::deadlock;
    out.rank = r;
    out.slot = next[r];
    out.stage = a.stage;
    out.micro_batch = a.micro_batch;
    return out;
  }

 private:
  constexpr void find_shortest(fault& out) const {
    scratch<int> distance(ranks_), before(ranks_), queue(ranks_);
    for (int start = 0; start < ranks_; ++start) {
      const int last = search(start, distance.at, before.at, queue.at);
      if (last < 0) continue;
      const int length = distance.at[last] + 1;
      if (out.waiting > 0 && length >= out.waiting) continue;
      out.waiting = length;
      for (int r = last, i = length - 1; i >= 0; r = before.at[r], --i) {
        if (i < fault::longest_cycle) out.cycle[i] = r;
      }
    }
  }

  static constexpr int most_per_rank = 16;  // kept; one more would only offer another cycle
  int ranks_;
  int edges_ = 0;
  scratch<int> first_, next_, to_;

  // Breadth first; the last rank of the shortest way back to `start`, or -1.
  constexpr int search(int start, int* distance, int* before, int* queue) const {
    for (int r = 0; r < ranks_; ++r) distance[r] = -1;
    int head = 0, tail = 0;
    queue[tail++] = start;
    distance[start] = 0;
    while (head < tail) {
      const int r = queue[head++];
      for (int e = first_.at[r]; e >= 0; e = next_.at[e]) {
        const int q = to_.at[e];
        if (q == start) return r;
        if (distance[q] >= 0) continue;
        distance[q] = distance[r] + 1;
        before[q] = r;
        queue[tail++] = q;
      }
    }
    return -1;
  }
};

}  // namespace backstitch::detail
