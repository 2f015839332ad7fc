// A schedule as plain constexpr data: per rank, a list of actions.
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// Raw arrays, since std::array costs constant evaluation five times its budget on clang and nvcc.
template <int Ranks, int Capacity>
struct timetable {
  static constexpr int ranks = Ranks;     // number of lists
  int count[detail::extent(Ranks)] = {};  // length of each rank's list
  action list[detail::extent(Ranks)][detail::extent(Capacity)] =
      {};  // each rank's actions, in order

  // Adds an action to a rank's list, which must have room.
  constexpr void append(int rank, const action& a) { list[rank][count[rank]++] = a; }
};

// One rank's list of a timetable, as an object of its own: each rank can then be a constant
// evaluation of its own, and a table of them is only pointers.
template <int Ranks, int Capacity>
struct rank_list {
  static constexpr int ranks = Ranks;          // number of lists
  int count = 0;                               // length of the list
  action list[detail::extent(Capacity)] = {};  // the actions, in order

  // As in a timetable; the rank is known.
  constexpr void append(int /*rank*/, const action& a) { list[count++] = a; }
};

// Reads like a timetable.
template <int Ranks>
struct timetable_view {
  static constexpr int ranks = Ranks;              // number of lists
  int count[detail::extent(Ranks)] = {};           // length of each rank's list
  const action* list[detail::extent(Ranks)] = {};  // each rank's actions, in order
};

namespace detail {

// A sink that fills one rank of a timetable. What does not fit is dropped: a list that is full
// holds one action too many, which the proof refuses.
template <class Table>
struct table_sink {
  Table& table;
  int rank;
  int capacity;

  constexpr void forward(int stage, int micro_batch) {
    add(action_kind::forward, stage, micro_batch);
  }
  constexpr void backward(int stage, int micro_batch) {
    add(action_kind::backward, stage, micro_batch);
  }

 private:
  constexpr void add(action_kind kind, int stage, int micro_batch) {
    if (table.count[rank] < capacity) table.append(rank, {kind, stage, micro_batch, -1, -1});
  }
};

}  // namespace detail

// The compute order of a policy: F and B of every rank. Holds one action more per rank than a valid
// schedule has, so that a policy which emits too much is seen. O(R * M).
template <class Policy, int Ranks, int MicroBatches>
constexpr auto make_timetable() {
  constexpr int capacity = 2 * MicroBatches + 1;
  timetable<Ranks, capacity> t;
  for (int r = 0; r < Ranks; ++r) {
    detail::table_sink<timetable<Ranks, capacity>> sink{t, r, capacity};
    Policy::generate(shape{Ranks, Ranks, MicroBatches}, r, sink);
  }
  return t;
}

}  // namespace backstitch
