// 1F1B of four stages on one thread as a list of actions, for the executors that follow a list.
//
// With every action one tick long, stage s does the forward of micro-batch m at tick s + 2m, once
// it is warm, and the backward at tick 7 - s + 2m. Within a tick the last stage comes first, so
// that a value's slot is free when the stage before sends the next one.
#pragma once

#include "arithmetic.hpp"

#include <cstddef>

namespace executors {

struct list_action {
  bool is_forward;
  int stage;
  int micro_batch;
};

template <int M>
struct action_list {
  static constexpr int count = 2 * stage_count * M;
  list_action at[count];
};

template <int M>
constexpr action_list<M> one_f_one_b_order() {
  action_list<M> out{};
  int n = 0;
  constexpr int ticks = 2 * (M + stage_count - 1);
  for (int tick = 0; tick < ticks; ++tick) {
    for (int s = stage_count - 1; s >= 0; --s) {
      const int f = tick - s;
      if (f >= 0 && f % 2 == 0 && f / 2 < M) out.at[n++] = {true, s, f / 2};
      const int b = tick - (2 * stage_count - 1 - s);
      if (b >= 0 && b % 2 == 0 && b / 2 < M) out.at[n++] = {false, s, b / 2};
    }
  }
  return out;
}
template <int M>
inline constexpr action_list<M> order_v = one_f_one_b_order<M>();

}  // namespace executors
