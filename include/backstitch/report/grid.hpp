// A schedule as a text picture: one row per rank, time to the right, F = 1 and B = 2 units wide.
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/analysis/order.hpp"
#include "backstitch/analysis/schedule.hpp"
#include "backstitch/program/plan.hpp"

#include <cstddef>
#include <string>

namespace backstitch::report {
namespace detail {

// What may be drawn: a plan or a schedule.
template <class T>
struct verdict_of : backstitch::detail::type_is<backstitch::detail::plan_verdict<T>> {};
template <class Policy, class Ranks, class MicroBatches>
struct verdict_of<schedule<Policy, Ranks, MicroBatches>>
    : backstitch::detail::type_is<
          backstitch::detail::schedule_verdict<Policy, Ranks, MicroBatches>> {};
template <class T>
concept refused = backstitch::detail::refused<typename verdict_of<T>::type>;

}  // namespace detail

// Schedule: a plan or a schedule. Idle time is dots. Ends each row with a line feed. O(R *
// makespan).
//
//   rank 0  F0 F1 .. .. B0--- F2 B1--- ...
template <class Schedule>
std::string to_grid() {
  constexpr int R = Schedule::ranks, M = Schedule::micro_batches;
  const auto& table = Schedule::compute();
  constexpr costs unit{};
  order_times<R, M> times;
  const auto figures = prove_order(table, unit, times);

  const std::size_t cell = std::to_string(M - 1).size() + 2;
  const std::size_t label = std::to_string(R - 1).size();
  std::string out;
  for (int r = 0; r < R; ++r) {
    std::string number = std::to_string(r);
    number.insert(0, label - number.size(), ' ');
    std::string row;
    for (int i = 0; i < table.count[r]; ++i) {
      const action& a = table.list[r][i];
      const bool forward = a.kind == action_kind::forward;
      const int cost = forward ? unit.forward : unit.backward;
      const int end = (forward ? times.forward_end : times.backward_end)[a.stage][a.micro_batch];
      const auto start = static_cast<std::size_t>(end - cost);
      while (row.size() < start * cell) row += row.size() % cell == cell - 1 ? ' ' : '.';
      row += action_name(a.kind) + std::to_string(a.micro_batch);
      const std::size_t width = static_cast<std::size_t>(end) * cell - 1;
      row.resize(width, forward ? ' ' : '-');
      row += ' ';
    }
    while (row.size() < static_cast<std::size_t>(figures.makespan) * cell) {
      row += row.size() % cell == cell - 1 ? ' ' : '.';
    }
    row.pop_back();  // the gap after the last cell
    out += "rank " + number + "  " + row + '\n';
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
