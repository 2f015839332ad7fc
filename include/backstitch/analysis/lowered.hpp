// The lowered program of a setup as constants: each rank's list, and each slice of the work of
// finding it, is a constant evaluation of its own with a budget of its own.
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/schedule/link.hpp"
#include "backstitch/schedule/lower.hpp"
#include "backstitch/schedule/lower_together.hpp"
#include "backstitch/schedule/timetable.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace backstitch::detail {

// Sizes and tables of a setup under a set of links. `Links` is a tag type with a static `value`, so
// that no table becomes part of a name. Constants are at least 1: 0 means the heap.
template <class Setup, class Links>
struct program_of {
  static constexpr int ranks = Setup::ranks;
  static constexpr int stages = Setup::stages;
  static constexpr int micro_batches = Setup::micro_batches;
  static constexpr int link_count = Links::value.count > 0 ? Links::value.count : 1;
  static constexpr link_view links{Links::value.count, Links::value.at};
  static constexpr link_index<stages, link_count> index{stages, links};
  static constexpr program_view work = work_v<Setup>.view();
  static constexpr bool updates = !is_forward_only<typename Setup::policy>();
  static constexpr int capacity(int rank) {
    return lowered_capacity(Setup::sizes, links, rank, work.count[rank]);
  }
};

// Numbers by rank, in arrays of their own.
template <std::size_t Ranks>
struct pointer_table {
  const int* of[Ranks];
};

template <class Lowering, std::size_t... Ranks>
constexpr auto view_lists(std::index_sequence<Ranks...>) {
  return timetable_view<int{sizeof...(Ranks)}>{
      {Lowering::template list<static_cast<int>(Ranks)>.count...},
      {Lowering::template list<static_cast<int>(Ranks)>.list...}};
}

// Receives as late as can be.
template <class Setup, class Links>
struct late_lowering {
  using program = program_of<Setup, Links>;
  // Positions of a rank's work, and of all ranks.
  template <int Rank>
  static constexpr auto find_positions() {
    scratch<int, 2 * Setup::sizes.chunks * program::micro_batches> position(0);
    find_work(Setup::sizes, program::work.list[Rank], program::work.count[Rank], position.at);
    return position;
  }
  template <int Rank>
  static constexpr auto positions = find_positions<Rank>();
  template <std::size_t... Ranks>
  static constexpr auto all_positions(std::index_sequence<Ranks...>) {
    return pointer_table<sizeof...(Ranks)>{{positions<static_cast<int>(Ranks)>.at...}};
  }
  static constexpr auto position_table =
      all_positions(std::make_index_sequence<extent(Setup::ranks)>{});

  template <int Rank>
  static constexpr auto make() {
    rank_list<program::capacity(Rank)> out;
    late_lowerer<program::stages, program::link_count> lower(
        out.list, Setup::sizes, program::links, program::index, program::work.list[Rank],
        program::work.count[Rank], position_table.of);
    out.count = lower.run(Rank, program::updates);
    return out;
  }
  template <int Rank>
  static constexpr auto list = make<Rank>();
  static constexpr bool stuck = false;
  static constexpr auto view =
      view_lists<late_lowering>(std::make_index_sequence<extent(Setup::ranks)>{});
};

// Each send and its receive at the same moment.
template <class Setup, class Links>
struct together_lowering {
  using program = program_of<Setup, Links>;
  using state = together_lowerer<program::ranks, program::link_count, program::micro_batches>;
  static constexpr int sweeps_per_slice = 2048 / program::ranks + 1;

  // The most message ends of one rank, all links together.
  static constexpr int most_ends() {
    int most = 0;
    for (int r = 0; r < program::ranks; ++r) {
      int ends = 0;
      for (int l = 0; l < program::links.count; ++l) {
        ends += Setup::rank_of(program::links.at[l].from) == r ? 1 : 0;
        ends += Setup::rank_of(program::links.at[l].to) == r ? 1 : 0;
      }
      most = ends > most ? ends : most;
    }
    return most;
  }
  // What the ranks do in one slice. An overlapped pair is two entries.
  static constexpr int capacity_of_slice = sweeps_per_slice * (2 + most_ends());
  struct part {
    state after;
    int count[extent(program::ranks)] = {};
    action list[extent(program::ranks)][extent(capacity_of_slice)] = {};
    constexpr void add(int r, const action& a) { list[r][count[r]++] = a; }
  };
  static constexpr part run(const state& before) {
    part p{before, {}, {}};
    p.after.run(Setup::sizes, program::links, program::index, program::work, sweeps_per_slice, p);
    return p;
  }
  template <int N>
  struct slice {
    static constexpr part value = run(slice<N - 1>::value.after);
  };
  template <int N>
    requires(N == 0)
  struct slice<N> {
    static constexpr part value = run(state(Setup::sizes, program::links));
  };
  template <int N = 0>
  static constexpr int count_slices() {
    if constexpr (slice<N>::value.after.stopped()) {
      return N + 1;
    } else {
      return count_slices<N + 1>();
    }
  }
  static constexpr int slices = count_slices();
  // Where the ranks stand at the end.
  static constexpr const state& end() { return slice<slices - 1>::value.after; }
  static constexpr bool is_stuck() {
    for (int r = 0; r < program::ranks; ++r) {
      if (end().next()[r] < program::work.count[r]) return true;
    }
    return false;
  }
  static constexpr bool stuck = is_stuck();

  // A rank's share of the slices, put together.
  template <int Rank, std::size_t... Ns>
  static constexpr auto join_slices(std::index_sequence<Ns...>) {
    const part* parts[] = {&slice<static_cast<int>(Ns)>::value...};
    rank_list<program::capacity(Rank)> out;
    int n = 0;
    for (const part* p : parts) {
      const action* list = p->list[Rank];
      const int count = p->count[Rank];
      for (int i = 0; i < count; ++i) out.list[n++] = list[i];
    }
    out.count = n + (program::updates ? write_updates(out.list + n, Setup::sizes, Rank) : 0);
    return out;
  }
  template <int Rank>
  static constexpr auto list = join_slices<Rank>(std::make_index_sequence<extent(slices)>{});
  static constexpr auto view =
      view_lists<together_lowering>(std::make_index_sequence<extent(Setup::ranks)>{});
};

}  // namespace backstitch::detail
