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

// The first run of a segment, from `run` on, that holds an action which Alone picks, or -1.
template <class Alone, class Table>
constexpr int next_run_alone(const Table& t, int r, const segment& s, int run) {
  for (int i = s.first + run * s.period; i < s.first + s.period * s.repeats; ++i) {
    if (Alone::test(t.list[r][i])) return (i - s.first) / s.period;
  }
  return -1;
}

// A body may be as long as one round of an interleaved schedule with its messages. What is spent on
// trying long ones is bounded, since schedules without rounds have none.
inline constexpr int longest_body = 128;
inline constexpr int most_tries = 16384;

// Greedy: at each position the body that covers most actions, the shorter one if equal. A run that
// holds an action picked by `Alone` stands alone. O(actions + most_tries); schedules have few
// segments.
template <int Capacity, class Alone, class Table>
constexpr auto reroll(const Table& t, int r) {
  segment_list<Capacity> out;
  const int n = t.count[r];
  const action* list = t.list[r];
  int tries = 0;
  for (int i = 0; i < n;) {
    segment best{i, 1, 1, 0};
    while (joined(t, r, i + best.period)) ++best.period;  // a group stays whole
    int best_cover = 0;
    const int longest = tries < most_tries ? longest_body : 4;
    for (int p = 1; p <= longest && i + 2 * p <= n; ++p) {
      ++tries;
      const action& a = list[i];
      const action& b = list[i + p];
      // A multiple of a period that matched matches just as far.
      if (a.kind != b.kind || a.stage != b.stage || a.link != b.link || joined(t, r, i + p) ||
          (best_cover > 0 && p % best.period == 0)) {
        continue;
      }
      const int stride = b.micro_batch - a.micro_batch;
      int matched = 0;
      while (i + p + matched < n && same_in_loop(t, r, i + matched, i + p + matched, stride)) {
        ++matched;
      }
      tries += matched;
      const int repeats = matched / p + 1;
      if (repeats > 1 && p * repeats > best_cover) {
        best = {i, p, repeats, stride};
        best_cover = p * repeats;
      }
    }
    i += best.period * best.repeats;
    for (int run = 0; run < best.repeats;) {
      const int alone = best.repeats > 1 ? next_run_alone<Alone>(t, r, best, run) : -1;
      const int end = alone < 0 ? best.repeats : alone;
      if (end > run) {
        out.at[out.count++] = {best.first + run * best.period, best.period, end - run,
                               end - run > 1 ? best.stride : 0};
      }
      if (alone >= 0) out.at[out.count++] = {best.first + alone * best.period, best.period, 1, 0};
      run = alone < 0 ? end : alone + 1;
    }
  }
  return out;
}

}  // namespace backstitch::detail
