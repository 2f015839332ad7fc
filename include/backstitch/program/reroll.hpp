// Finds prologue, repeated bodies and epilogue in a rank's list, so that the size of the code does
// not grow with the number of micro-batches.
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/schedule/action.hpp"

namespace backstitch::detail {

// `repeats` runs of `period` actions that start at `first`; each run advances every micro-batch by
// `stride`.
struct segment {
  int first = 0;
  int period = 1;
  int repeats = 1;
  int stride = 0;
};

template <int Capacity>
struct segment_list {
  int count = 0;
  segment at[extent(Capacity)] = {};
};

// Whether the messages at k-1 and k belong to one group.
template <class Table>
constexpr bool joined(const Table& t, int r, int k) {
  const bool inside = k > 0 && k < t.count[r];
  return inside && t.list[r][k].group >= 0 && t.list[r][k].group == t.list[r][k - 1].group;
}

// Whether the actions at i and j may be one action of a loop body that advances by `stride`. A
// group of messages may not be cut, so its members must stand in the same place of a group.
template <class Table>
constexpr bool same_in_loop(const Table& t, int r, int i, int j, int stride) {
  const action& a = t.list[r][i];
  const action& b = t.list[r][j];
  return a.kind == b.kind && a.stage == b.stage && a.link == b.link &&
         b.micro_batch - a.micro_batch == stride && joined(t, r, i) == joined(t, r, j) &&
         joined(t, r, i + 1) == joined(t, r, j + 1);
}

// The run of a segment that holds the forward of micro-batch 0, or -1.
template <class Table>
constexpr int run_of_first_forward(const Table& t, int r, const segment& s) {
  for (int i = s.first; i < s.first + s.period * s.repeats; ++i) {
    const action& a = t.list[r][i];
    if (a.kind == action_kind::forward && a.micro_batch == 0) return (i - s.first) / s.period;
  }
  return -1;
}

inline constexpr int longest_body = 32;

// Greedy: at each position the body that covers most actions, the shorter one if equal. With
// `peel_first`, the run that holds the forward of micro-batch 0 stands alone, since it also runs
// the learning-rate ops. O(actions * longest_body) at worst; schedules have few segments.
template <int Capacity, class Table>
constexpr auto reroll(const Table& t, int r, bool peel_first) {
  segment_list<Capacity> out;
  const int n = t.count[r];
  for (int i = 0; i < n;) {
    segment best{i, 1, 1, 0};
    while (joined(t, r, i + best.period)) ++best.period;  // a group stays whole
    int best_cover = 0;
    for (int p = 1; p <= longest_body && i + 2 * p <= n; ++p) {
      const int stride = t.list[r][i + p].micro_batch - t.list[r][i].micro_batch;
      // A multiple of a period that matched matches just as far.
      if (joined(t, r, i + p) || (best_cover > 0 && p % best.period == 0)) continue;
      int matched = 0;
      while (i + p + matched < n && same_in_loop(t, r, i + matched, i + p + matched, stride)) {
        ++matched;
      }
      const int repeats = matched / p + 1;
      if (repeats > 1 && p * repeats > best_cover) {
        best = {i, p, repeats, stride};
        best_cover = p * repeats;
      }
    }
    i += best.period * best.repeats;
    const int alone = peel_first && best.repeats > 1 ? run_of_first_forward(t, r, best) : -1;
    if (alone < 0) {
      out.at[out.count++] = best;
      continue;
    }
    const int runs_after = best.repeats - alone - 1;
    const int first_alone = best.first + alone * best.period;
    if (alone > 0) out.at[out.count++] = {best.first, best.period, alone, best.stride};
    out.at[out.count++] = {first_alone, best.period, 1, 0};
    if (runs_after > 0) {
      out.at[out.count++] = {first_alone + best.period, best.period, runs_after, best.stride};
    }
  }
  return out;
}

}  // namespace backstitch::detail
