// Timetables for tests: run-time lists, text in the notation of tests/golden, loops over sizes.
#pragma once

#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/shape.hpp"
#include "backstitch/schedule/timetable.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tables {

namespace bs = backstitch;
using bs::action_kind;
using list = std::vector<bs::action>;

inline bs::action forward(int stage, int micro_batch) {
  return {action_kind::forward, stage, micro_batch, -1, -1};
}
inline bs::action backward(int stage, int micro_batch) {
  return {action_kind::backward, stage, micro_batch, -1, -1};
}

// A sink that a policy fills at run time.
struct list_sink {
  list actions;
  void forward(int stage, int micro_batch) {
    actions.push_back(tables::forward(stage, micro_batch));
  }
  void backward(int stage, int micro_batch) {
    actions.push_back(tables::backward(stage, micro_batch));
  }
};

// What a policy emits at run time for one rank of a chain with one stage per rank.
template <class Policy>
list generate(int ranks, int micro_batches, int rank) {
  list_sink sink;
  Policy::generate(bs::shape{ranks, ranks, micro_batches}, rank, sink);
  return sink.actions;
}

template <class Table>
list list_of(const Table& t, int rank) {
  return {t.list[rank], t.list[rank] + t.count[rank]};
}

// All ranks. What is checked over this is compiled once, not once per size.
template <class Table>
std::vector<list> lists_of(const Table& t) {
  std::vector<list> all;
  for (int r = 0; r < Table::ranks; ++r) all.push_back(list_of(t, r));
  return all;
}

template <int R, int Capacity>
void set_list(bs::timetable<R, Capacity>& t, int rank, const list& actions) {
  if (actions.size() > std::size_t{Capacity}) throw std::logic_error("table too small");
  t.count[rank] = 0;
  for (const bs::action& a : actions) t.append(rank, a);
}

template <int R, int Capacity>
bs::timetable<R, Capacity> table_of(const std::vector<list>& lists) {
  bs::timetable<R, Capacity> t;
  for (int r = 0; r < R; ++r) set_list(t, r, lists.at(static_cast<std::size_t>(r)));
  return t;
}

// A compute order, filled at run time into a table that may be larger than it needs.
template <class Policy, int R, int Capacity>
bs::timetable<R, Capacity> fill(int micro_batches) {
  bs::timetable<R, Capacity> t;
  for (int r = 0; r < R; ++r) set_list(t, r, generate<Policy>(R, micro_batches, r));
  return t;
}

inline bool is_message(const bs::action& a) { return !bs::is_compute(a.kind); }
inline bool is_update(const bs::action& a) { return a.kind == action_kind::update; }

inline list without(const list& actions, bool (*dropped)(const bs::action&)) {
  list kept;
  for (const bs::action& a : actions) {
    if (!dropped(a)) kept.push_back(a);
  }
  return kept;
}

// `0F0,0SEND_F0+0RECV_B0,..,0OPT_STEP`: messages of one group are joined by `+`.
inline std::string text(const list& actions) {
  std::string out;
  int group = -1;
  for (const bs::action& a : actions) {
    if (!out.empty()) out += a.group >= 0 && a.group == group ? '+' : ',';
    out += std::to_string(a.stage);
    out += is_update(a) ? "OPT_STEP" : bs::action_name(a.kind) + std::to_string(a.micro_batch);
    group = a.group;
  }
  return out;
}

// Calls f.template operator()<I>() for I = First .. Last.
template <int First, int Last, class F>
constexpr void for_sizes(F f) {
  [&]<int... Is>(std::integer_sequence<int, Is...>) { (f.template operator()<First + Is>(), ...); }
  (std::make_integer_sequence<int, Last - First + 1>{});
}

// Calls f.template operator()<R, M>() for the sizes in tests/golden; false: not one of them.
template <class F>
bool at_golden_size(int ranks, int micro_batches, F f) {
  const auto at = [&]<int R, int M>() {
    if (ranks != R || micro_batches != M) return false;
    f.template operator()<R, M>();
    return true;
  };
  return at.template operator()<1, 2>() || at.template operator()<2, 2>() ||
         at.template operator()<2, 4>() || at.template operator()<4, 2>() ||
         at.template operator()<4, 4>() || at.template operator()<4, 8>();
}

}  // namespace tables
