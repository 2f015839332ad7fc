// Lowering: puts the sends, receives and updates into a compute order.
//
// Two forms. `lower_together` appends a send and its receive to both ranks' lists at the same
// moment: safe under blocking sends for every schedule and every skip edge, at the price of early
// receives (the rule of PyTorch's pipelining runtime). `lower_late` puts each receive right before
// the op that needs it, which holds the least memory, and groups opposite transfers on one
// boundary, without which 1F1B deadlocks; it must be proven for each schedule. Both are O(actions).
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/link.hpp"
#include "backstitch/schedule/shape.hpp"
#include "backstitch/schedule/timetable.hpp"

namespace backstitch {

// The most actions that one rank's lowered list can hold.
template <int Capacity>
constexpr int lowered_capacity(const link_table<Capacity>& links, int ranks, int stages,
                               int micro_batches) {
  const int chunks = stages / ranks;
  int most = 0;
  for (int r = 0; r < ranks; ++r) {
    int ends = 0;
    for (int l = 0; l < links.count; ++l) {
      ends += rank_of_stage(links.at[l].from, ranks) == r ? 1 : 0;
      ends += rank_of_stage(links.at[l].to, ranks) == r ? 1 : 0;
    }
    most = ends > most ? ends : most;
  }
  return (2 * chunks + most) * micro_batches + chunks;
}

namespace detail {

constexpr action send_of(const link& k, int number, int micro_batch, int group) {
  return {send_kind(k.made), k.from, micro_batch, number, group};
}
constexpr action receive_of(const link& k, int number, int micro_batch, int group) {
  return {receive_kind(k.made), k.to, micro_batch, number, group};
}

// The optimizer runs when the rank has nothing else left, sends included.
template <class Table>
constexpr void append_updates(Table& out, int rank, int stages, int micro_batches) {
  for (int s = 0; s < stages; ++s) {
    if (rank_of_stage(s, Table::ranks) != rank) continue;
    out.append(rank, {action_kind::update, s, micro_batches - 1, -1, -1});
  }
}

// What one rank sends after its last op and receives before its next one, grouped by peer.
template <class Table, int Links>
struct exchange {
  Table& out;
  const link_table<Links>& links;
  int rank;
  int group = 0;
  int sends = 0;
  int receives = 0;
  int send[detail::extent(Links + 1)] = {};
  int receive[detail::extent(Links + 1)] = {};
  bool taken[detail::extent(Links + 1)] = {};

  constexpr int rank_of(int stage) const { return rank_of_stage(stage, Table::ranks); }
  constexpr bool crosses(int l) const {
    return rank_of(links.at[l].from) != rank_of(links.at[l].to);
  }
  // A send and a receive with the same peer start together; the rest go one by one, sends first.
  constexpr void flush(int sent_micro_batch, int received_micro_batch) {
    for (int i = 0; i < receives; ++i) taken[i] = false;
    for (int s = 0; s < sends; ++s) {
      const link& k = links.at[send[s]];
      out.append(rank, send_of(k, send[s], sent_micro_batch, group));
      for (int i = 0; i < receives; ++i) {
        const link& back = links.at[receive[i]];
        if (taken[i] || rank_of(back.from) != rank_of(k.to)) continue;
        out.append(rank, receive_of(back, receive[i], received_micro_batch, group));
        taken[i] = true;
        break;
      }
      ++group;
    }
    for (int i = 0; i < receives; ++i) {
      if (taken[i]) continue;
      out.append(rank, receive_of(links.at[receive[i]], receive[i], received_micro_batch, group++));
    }
    sends = receives = 0;
  }
};

}  // namespace detail

// Appends one rank's list. `Out` is a timetable or a rank_list.
template <int Stages, class Out, class Compute, int Links>
constexpr void lower_late_rank(Out& out, const Compute& compute, const link_table<Links>& links,
                               int micro_batches, int r) {
  const detail::link_index<Stages, Links> index(links);
  detail::exchange<Out, Links> x{out, links, r};
  int sent = 0;
  for (int i = 0; i < compute.count[r]; ++i) {
    const action& a = compute.list[r][i];
    const int p = phase_number(a.kind);
    for (int l = index.first_in[a.stage][p]; l >= 0; l = index.next_in[l]) {
      if (x.crosses(l)) x.receive[x.receives++] = l;
    }
    x.flush(sent, a.micro_batch);
    out.append(r, a);
    for (int l = index.first_out[a.stage][p]; l >= 0; l = index.next_out[l]) {
      if (x.crosses(l)) x.send[x.sends++] = l;
    }
    sent = a.micro_batch;
  }
  x.flush(sent, 0);
  detail::append_updates(out, r, Stages, micro_batches);
}

// Receives as late as can be, opposite transfers grouped.
template <int Capacity, int Stages, class Compute, int Links>
constexpr auto lower_late(const Compute& compute, const link_table<Links>& links,
                          int micro_batches) {
  timetable<Compute::ranks, Capacity> out;
  for (int r = 0; r < Compute::ranks; ++r) {
    lower_late_rank<Stages>(out, compute, links, micro_batches, r);
  }
  return out;
}

// A send and its receive at the same moment. A rank whose next op never gets its messages leaves
// its list short, which the proof reports.
template <int Capacity, int Stages, int MicroBatches, class Compute, int Links>
constexpr auto lower_together(const Compute& compute, const link_table<Links>& links) {
  constexpr int R = Compute::ranks;
  timetable<R, Capacity> out;
  const detail::link_index<Stages, Links> index(links);
  int arrived[detail::extent(Links + 1)][detail::extent(MicroBatches)] = {};  // sweep, from 1
  int next[detail::extent(R)] = {};
  int group[detail::extent(R)] = {};
  // One op per rank and sweep, as if all took the same time: what is sent in a sweep may be used in
  // the next one.
  int sweep = 0;
  for (bool progress = true; progress;) {
    progress = false;
    ++sweep;
    for (int r = 0; r < R; ++r) {
      if (next[r] == compute.count[r]) continue;
      const action& a = compute.list[r][next[r]];
      const int p = phase_number(a.kind);
      bool ready = true;
      for (int l = index.first_in[a.stage][p]; l >= 0 && ready; l = index.next_in[l]) {
        ready = arrived[l][a.micro_batch] != 0 && arrived[l][a.micro_batch] < sweep;
      }
      if (!ready) continue;
      out.append(r, a);
      ++next[r];
      progress = true;
      for (int l = index.first_out[a.stage][p]; l >= 0; l = index.next_out[l]) {
        arrived[l][a.micro_batch] = sweep;
        const link& k = links.at[l];
        const int peer = rank_of_stage(k.to, R);
        if (peer == r) continue;
        out.append(r, detail::send_of(k, l, a.micro_batch, group[r]++));
        out.append(peer, detail::receive_of(k, l, a.micro_batch, group[peer]++));
      }
    }
  }
  for (int r = 0; r < R; ++r) detail::append_updates(out, r, Stages, MicroBatches);
  return out;
}

}  // namespace backstitch
