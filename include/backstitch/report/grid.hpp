// A schedule as a text picture: one row per rank, time to the right, F = 1 and B = 2 units wide.
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/analysis/figures.hpp"
#include "backstitch/analysis/schedule.hpp"
#include "backstitch/program/plan.hpp"

#include <cstddef>
#include <string>

namespace backstitch::report {
namespace detail {

// What may be drawn: a plan or a schedule.
template <class T>
struct verdict_of : backstitch::detail::type_is<backstitch::detail::plan_verdict<T>> {};
template <class Policy, class Ranks, class MicroBatches, class... Options>
struct verdict_of<schedule<Policy, Ranks, MicroBatches, Options...>>
    : backstitch::detail::type_is<
          backstitch::detail::schedule_verdict<Policy, Ranks, MicroBatches, Options...>> {};
// In the picture.
inline std::string grid_name(const action& a, bool with_stage) {
  std::string name;
  if (with_stage) name += std::to_string(a.stage);
  name += action_name(a.kind);
  name += std::to_string(a.micro_batch);
  return name;
}

template <class T>
concept refused = backstitch::detail::refused<typename verdict_of<T>::type>;

}  // namespace detail

// Schedule: a plan or a schedule. One unit of time is as wide as the longest name of an op. With
// several stages per rank a name is `<stage>F<micro-batch>`, else `F<micro-batch>`; the two of an
// overlapped pair are joined by `&`. Idle time is dots. Ends each row with a line feed. O(R *
// makespan).
//
//   rank 0  F0 F1 .. .. B0--- F2 B1--- ...
template <class Schedule>
std::string to_grid() {
  constexpr int R = Schedule::ranks;
  const auto view = Schedule::compute().view();
  constexpr costs unit{};
  const auto timed = Schedule::timed_work(unit);

  const bool with_stage = Schedule::sizes().chunks > 1;
  std::size_t cell = 0;
  for (int r = 0; r < R; ++r) {
    for (int i = 0; i < view.count[r]; ++i) {
      const std::size_t width = detail::grid_name(view.list[r][i], with_stage).size() + 1;
      cell = width > cell ? width : cell;
    }
  }
  const std::size_t label = std::to_string(R - 1).size();
  std::string out;
  for (int r = 0; r < R; ++r) {
    std::string number = std::to_string(r);
    number.insert(0, label - number.size(), ' ');
    std::string row;
    const auto idle_until = [&](int time) {
      while (row.size() < static_cast<std::size_t>(time) * cell) {
        row += row.size() % cell == cell - 1 ? ' ' : '.';
      }
    };
    for (int i = 0; i < view.count[r];) {
      const int next = i + backstitch::detail::pair_length(view.list[r], view.count[r], i);
      const int end = timed.times.end(view.list[r][i]);
      int cost = 0;
      std::string name;
      for (; i < next; ++i) {
        cost += unit.of(view.list[r][i].kind);
        if (!name.empty()) name += '&';
        name += detail::grid_name(view.list[r][i], with_stage);
      }
      idle_until(end - cost);
      row += name;
      row.resize(static_cast<std::size_t>(end) * cell - 1, cost > 1 ? '-' : ' ');
      row += ' ';
    }
    idle_until(timed.makespan);
    row.pop_back();  // the gap after the last cell
    // Not one by `+`: there g++ 12 sees copies that overlap.
    out += "rank ";
    out += number;
    out += "  ";
    out += row;
    out += '\n';
  }
  return out;
}

// Of what is no plan or schedule, or breaks a rule: one error.
template <class Schedule>
  requires detail::refused<Schedule> std::string to_grid() {
    static_assert(sizeof(error::require<typename detail::verdict_of<Schedule>::type>) != 0);
    return {};
  }

}  // namespace backstitch::report
