// The contract of a program, over all ranks and under a channel model: the one place that says what
// is valid. O(actions). Here for programs that are constants, in slices; dynamic/contract.hpp is
// the same for sizes that are known at run time.
#pragma once

#include "backstitch/analysis/buffered.hpp"
#include "backstitch/analysis/channel.hpp"
#include "backstitch/analysis/channel_order.hpp"
#include "backstitch/analysis/fault.hpp"
#include "backstitch/analysis/lowered.hpp"
#include "backstitch/analysis/rank_rules.hpp"
#include "backstitch/analysis/rank_verdict.hpp"
#include "backstitch/analysis/rendezvous.hpp"
#include "backstitch/extent.hpp"

#include <cstddef>
#include <utility>

namespace backstitch::detail {

// The rules of the work alone, before there are messages.
template <class Setup>
struct work_rules {
  static constexpr bool forward_only = is_forward_only<typename Setup::policy>();
  static constexpr link_view no_links{};
  static constexpr link_index<Setup::stages, 1> index{Setup::stages, no_links};
  template <int Rank>
  static constexpr rank_verdict judge() {
    rank_rules<Setup::stages, 1, Setup::sizes.chunks, Setup::micro_batches> rules(
        Setup::sizes, no_links, index, forward_only);
    return rules.run(Rank, work_v<Setup>.list[Rank], work_v<Setup>.count[Rank]);
  }
  template <int Rank>
  static constexpr rank_verdict of = judge<Rank>();
  template <std::size_t... Ranks>
  static constexpr fault find(std::index_sequence<Ranks...>) {
    const rank_verdict* all[] = {&of<static_cast<int>(Ranks)>...};
    return first_rank_fault(all, Setup::ranks, Setup::sizes);
  }
  static constexpr fault first = find(std::make_index_sequence<extent(Setup::ranks)>{});
  // Most (stage, micro-batch) between F and their end on each rank.
  template <std::size_t... Ranks>
  static constexpr auto peaks_of(std::index_sequence<Ranks...>) {
    struct {
      int at[sizeof...(Ranks)];
    } t{{of<static_cast<int>(Ranks)>.peak_in_flight...}};
    return t;
  }
  static constexpr auto peaks = peaks_of(std::make_index_sequence<extent(Setup::ranks)>{});
};

// The cycle of a program whose early lowering stands still: each rank points to the ones that it
// needs a value from. `next`: where each rank stands.
template <class Setup, class Links>
constexpr fault find_order_cycle(const int* next) {
  using program = program_of<Setup, Links>;
  wait_graph graph(Setup::ranks);
  for (int r = 0; r < Setup::ranks; ++r) {
    if (next[r] >= program::work.count[r]) continue;
    const action* list = program::work.list[r];
    const int end = next[r] + pair_length(list, program::work.count[r], next[r]);
    for (int i = next[r]; i < end; ++i) {
      const int p = phase_of(list[i].kind);
      if (p < 0) continue;
      for (int l = program::index.first_in.at[2 * list[i].stage + p]; l >= 0;
           l = program::index.next_in.at[l]) {
        const link& k = program::links.at[l];
        const int q = Setup::rank_of(k.from);
        bool done = false;
        for (int j = 0; j < next[q] && !done; ++j) {
          const action& made = program::work.list[q][j];
          done = made.stage == k.from && made.micro_batch == list[i].micro_batch &&
                 phase_of(made.kind) == static_cast<int>(k.made);
        }
        if (!done) graph(r, q);
      }
    }
  }
  return graph.find_fault(program::work, next);
}

// The contract of a lowered program whose work has been accepted. The lowering writes each message,
// reduction and update where it belongs, so what is left to prove is that no rank waits for ever
// and that no message is taken for another. (check_program looks at all rules, for any lists.)
template <class Setup, class Links, class Lowering, class Channel>
struct contract {
  using program = program_of<Setup, Links>;
  static constexpr channel_model model = Channel::model;

  // Messages, in slices.
  static constexpr int slice_budget = 8192;
  static constexpr auto start() {
    if constexpr (model.capacity == 0) {
      return rendezvous<program::ranks, program::stages>(Setup::sizes);
    } else {
      return buffered_delivery<program::ranks, program::stages, program::link_count,
                               program::micro_batches>(Setup::sizes, program::links);
    }
  }
  using state = decltype(start());
  static constexpr state after(state s) {
    if constexpr (model.capacity == 0) {
      s.run(Setup::sizes, program::links, Lowering::view.view(), slice_budget);
    } else {
      s.run(Setup::sizes, program::links, Lowering::view.view(), model.capacity, slice_budget);
    }
    return s;
  }
  template <int N>
  struct slice {
    static constexpr state value = after(slice<N - 1>::value);
  };
  template <int N>
    requires(N < 0)
  struct slice<N> {
    static constexpr state value = start();
  };
  template <int N = 0>
  static constexpr fault deliver() {
    if constexpr (slice<N>::value.finished()) {
      return slice<N>::value.find_fault(Setup::sizes, program::links, Lowering::view.view());
    } else {
      return deliver<N + 1>();
    }
  }

  // Untagged channels, one pair of ranks at a time.
  template <int A, int B>
  static constexpr fault channel_fault = compare_channels(Setup::sizes, program::links,
                                                          Lowering::view.view(), model.order, A, B);
  template <int Link>
  static constexpr fault fault_of_link() {
    constexpr int from = Setup::rank_of(program::links.at[Link].from);
    constexpr int to = Setup::rank_of(program::links.at[Link].to);
    if constexpr (from == to) {
      return {};
    } else {
      return channel_fault<(from < to ? from : to), (from < to ? to : from)>;
    }
  }
  template <std::size_t... Ls>
  static constexpr fault compare_links(std::index_sequence<Ls...>) {
    const fault all[] = {fault{}, fault_of_link<static_cast<int>(Ls)>()...};
    for (const fault& f : all) {
      if (f.broken != rule::none) return f;
    }
    return {};
  }

  static constexpr fault find() {
    if constexpr (Lowering::stuck) {
      return find_order_cycle<Setup, Links>(Lowering::end().next());
    } else {
      if constexpr (model.order != channel_order::tagged) {
        constexpr fault order =
            compare_links(std::make_index_sequence<extent(program::links.count)>{});
        if constexpr (order.broken != rule::none) {
          return order;
        } else {
          return deliver();
        }
      } else {
        return deliver();
      }
    }
  }
  // The first broken rule, or none.
  static constexpr fault first = find();
};

}  // namespace backstitch::detail
