// A schedule as plain constexpr data: per rank, a list of actions.
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

#include <cstddef>
#include <utility>

namespace backstitch {

// The lists of all ranks, wherever they lie: in constants or in run-time vectors. What reads
// schedules reads this.
struct program_view {
  int ranks = 0;                        // number of lists
  const int* count = nullptr;           // length of each rank's list
  const action* const* list = nullptr;  // each rank's actions, in order
};

// One rank's list as an object of its own: each rank is then a constant evaluation of its own, and
// a table of them is only pointers. Raw arrays, since std::array costs constant evaluation five
// times its budget on clang and nvcc.
template <int Capacity>
struct rank_list {
  static constexpr int capacity = Capacity;    // most actions
  int count = 0;                               // length of the list
  action list[detail::extent(Capacity)] = {};  // the actions, in order

  // Adds an action. What does not fit is dropped: a list that is full holds one action too many,
  // which the contract refuses.
  constexpr void append(const action& a) {
    if (count < Capacity) list[count++] = a;
  }
};

// The lists of all ranks, for generators that lay out all ranks at once.
template <int Ranks, int Capacity>
struct timetable {
  static constexpr int ranks = Ranks;                                 // number of lists
  int count[detail::extent(Ranks)] = {};                              // length of each rank's list
  action list[detail::extent(Ranks)][detail::extent(Capacity)] = {};  // each rank's actions

  // As in rank_list.
  constexpr void append(int rank, const action& a) {
    if (count[rank] < Capacity) list[rank][count[rank]++] = a;
  }
};

// The lists of constants, as a table of pointers.
template <int Ranks>
struct timetable_view {
  static constexpr int ranks = Ranks;              // number of lists
  int count[detail::extent(Ranks)] = {};           // length of each rank's list
  const action* list[detail::extent(Ranks)] = {};  // each rank's actions, in order

  // The same without the count in the type.
  constexpr program_view view() const { return {Ranks, count, list}; }
};

namespace detail {

// What a generator writes to. `Out::add(action)` puts an action into the list of its rank.
template <class Out>
struct sink {
  Out& out;
  int pairs = 0;

  constexpr void forward(int stage, int micro_batch) {
    out.add({action_kind::forward, stage, micro_batch, -1, -1});
  }
  constexpr void backward(int stage, int micro_batch) {
    out.add({action_kind::backward, stage, micro_batch, -1, -1});
  }
  constexpr void backward_input(int stage, int micro_batch) {
    out.add({action_kind::backward_input, stage, micro_batch, -1, -1});
  }
  constexpr void backward_weight(int stage, int micro_batch) {
    out.add({action_kind::backward_weight, stage, micro_batch, -1, -1});
  }
  // A forward and a backward that run together.
  constexpr void overlap(int f_stage, int f_micro_batch, int b_stage, int b_micro_batch) {
    out.add({action_kind::forward, f_stage, f_micro_batch, -1, pairs});
    out.add({action_kind::backward, b_stage, b_micro_batch, -1, pairs});
    ++pairs;
  }
};

// One rank's list, whatever the stage says: the contract refuses a stage of another rank.
template <class List>
struct to_one_rank {
  List& list;
  constexpr void add(const action& a) { list.append(a); }
};

// Each action to the rank that owns its stage; rank 0 gets what belongs nowhere.
template <class Table>
struct to_owner {
  Table& table;
  shape sizes;
  constexpr void add(const action& a) {
    const bool known = a.stage >= 0 && a.stage < sizes.stages;
    const int rank = known ? sizes.rank_of(a.stage) : 0;
    table.append(rank >= 0 && rank < sizes.ranks ? rank : 0, a);
  }
};

// Everything that a program is named by. `M` counts what the lists count: micro-batches, or the
// pieces of them where a policy splits sequences.
template <class Policy, int R, int S, int M, class Placement>
struct setup {
  using policy = Policy;
  static constexpr int ranks = R;
  static constexpr int stages = S;
  static constexpr int micro_batches = M;
  static constexpr int pipes = pipes_of<Policy>();
  static constexpr auto placed = make_placement<Placement, R, S>(pipes);
  static constexpr shape sizes{
      R, S, M, pipes, placed.chunks, placed.rank_of, placed.stage_of_chunk, placed.chunk_of_stage};
  static constexpr int rank_of(int stage) { return placed.rank_of[stage]; }
  // Most actions of work on one rank, and one more, so that a policy which emits too much is seen.
  static constexpr int work_per_stage = is_forward_only<Policy>()   ? 1
                                        : splits_backward<Policy>() ? 3
                                                                    : 2;
  static constexpr int capacity(int rank) {
    return placed.count[rank] * (M / pipes) * work_per_stage + 1;
  }
};

template <class Setup, int Rank>
constexpr auto generate_rank() {
  rank_list<Setup::capacity(Rank)> list;
  to_one_rank<decltype(list)> out{list};
  sink<decltype(out)> s{out};
  Setup::policy::generate(Setup::sizes, Rank, s);
  return list;
}
template <class Setup>
constexpr auto generate_all() {
  constexpr int widest =
      Setup::sizes.chunks * (Setup::micro_batches / Setup::pipes) * Setup::work_per_stage + 1;
  timetable<Setup::ranks, widest> table;
  to_owner<decltype(table)> out{table, Setup::sizes};
  sink<decltype(out)> s{out};
  Setup::policy::generate(Setup::sizes, s);
  return table;
}

template <class Setup, int Rank>
inline constexpr auto generated_rank_v = generate_rank<Setup, Rank>();
template <class Setup>
inline constexpr auto generated_table_v = generate_all<Setup>();

template <class Setup, std::size_t... Ranks>
constexpr auto view_work(std::index_sequence<Ranks...>) {
  if constexpr (generates_per_rank<typename Setup::policy>) {
    return timetable_view<Setup::ranks>{{generated_rank_v<Setup, static_cast<int>(Ranks)>.count...},
                                        {generated_rank_v<Setup, static_cast<int>(Ranks)>.list...}};
  } else {
    return timetable_view<Setup::ranks>{{generated_table_v<Setup>.count[Ranks]...},
                                        {generated_table_v<Setup>.list[Ranks]...}};
  }
}

// F, B, I and W of every rank, in order.
template <class Setup>
inline constexpr auto work_v =
    view_work<Setup>(std::make_index_sequence<static_cast<std::size_t>(Setup::ranks)>{});

}  // namespace detail
}  // namespace backstitch
