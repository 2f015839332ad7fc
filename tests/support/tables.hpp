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

inline bool is_message(const bs::action& a) { return bs::is_message(a.kind); }
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

}  // namespace tables
