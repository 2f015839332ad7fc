// Proof of a lowered program over all ranks with blocking sends: a rank leaves a group of messages
// only when every message of the group has met its other end (channel capacity 0). O(actions).
//
// Proven: every message has one send and one receive, on the right ranks, after the op that makes
// the value and before the op that needs it, and no rank waits for ever.
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/link.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// The rules of a valid lowered program.
enum class message_rule : int { none, unmatched, deadlock };

// The first broken rule and where.
struct message_fault {
  message_rule rule = message_rule::none;  // `none` if the program is valid
  int rank = 0;                            // whose list
  int slot = 0;                            // position in the rank's list
  int stage = 0;                           // of the action in question
  int micro_batch = 0;                     // likewise
};

namespace detail {

// Runs all ranks side by side. State is raw arrays, so that it can be carried from one constant
// evaluation to the next.
template <int Stages, int MicroBatches, class Table, int Links>
class rendezvous {
 public:
  constexpr explicit rendezvous(const link_table<Links>& links) : index_(links) {
    for (int r = 0; r < R; ++r) wake(r);
  }

  constexpr message_fault fault() const { return fault_; }
  constexpr bool finished() const { return waiting_ == 0 || fault_.rule != message_rule::none; }

  // Works off about `budget` actions. The tables are passed in, so that they are not copied.
  constexpr void run(const Table& t, const link_table<Links>& links, int budget) {
    while (!finished() && budget > 0) {
      const int r = ready_[--waiting_];
      queued_[r] = false;
      advance(t, links, r, budget);
    }
    if (waiting_ > 0 || fault_.rule != message_rule::none) return;
    for (int r = 0; r < R; ++r) {
      // A group that waits has been stepped over.
      if (pending_[r] > 0) return fail(t, message_rule::deadlock, r, next_[r] - 1);
      if (next_[r] < t.count[r]) return fail(t, message_rule::deadlock, r, next_[r]);
    }
    for (int l = 0; l < links.count; ++l) {
      if (rank_of(links.at[l].from) == rank_of(links.at[l].to)) continue;
      for (int m = 0; m < MicroBatches; ++m) {
        if (ends_[l][m] == both) continue;
        fault_ = {message_rule::unmatched, rank_of(links.at[l].to), 0, links.at[l].to, m};
        return;
      }
    }
  }

 private:
  static constexpr int R = Table::ranks;
  static constexpr unsigned char sent = 1, received = 2, both = 3;

  link_index<Stages, Links> index_;
  int next_[extent(R)] = {};
  int pending_[extent(R)] = {};  // messages of the current group that have not met their other end
  int ready_[extent(R)] = {};
  bool queued_[extent(R)] = {};
  int waiting_ = 0;
  unsigned char ends_[extent(Links + 1)][extent(MicroBatches)] = {};
  bool done_[extent(Stages)][extent(2)][extent(MicroBatches)] = {};
  message_fault fault_ = {};

  static constexpr int rank_of(int stage) { return rank_of_stage(stage, R); }

  constexpr void wake(int r) {
    if (queued_[r]) return;
    queued_[r] = true;
    ready_[waiting_++] = r;
  }

  constexpr void fail(const Table& t, message_rule rule, int r, int slot) {
    const action& a = t.list[r][slot];
    fault_ = {rule, r, slot, a.stage, a.micro_batch};
  }

  constexpr void advance(const Table& t, const link_table<Links>& links, int r, int& budget) {
    if (pending_[r] > 0) return;
    while (next_[r] < t.count[r]) {
      const action& a = t.list[r][next_[r]];
      if (budget <= 0) return wake(r);
      --budget;
      if (is_compute(a.kind)) {
        if (!compute(a, links)) return fail(t, message_rule::unmatched, r, next_[r]);
        ++next_[r];
        continue;
      }
      int end = next_[r];
      for (; end < t.count[r] && t.list[r][end].group == a.group; ++end) {
        if (!post(t.list[r][end], links, r)) return fail(t, message_rule::unmatched, r, end);
      }
      budget -= end - next_[r];
      next_[r] = end;
      if (pending_[r] > 0) return;
    }
  }

  // False when a value that the op needs has not arrived.
  constexpr bool compute(const action& a, const link_table<Links>& links) {
    if (a.kind == action_kind::update) return true;
    const int p = phase_number(a.kind);
    for (int l = index_.first_in[a.stage][p]; l >= 0; l = index_.next_in[l]) {
      const link& k = links.at[l];
      const bool here = rank_of(k.from) == rank_of(k.to)
                            ? done_[k.from][static_cast<int>(k.made)][a.micro_batch]
                            : ends_[l][a.micro_batch] == both;
      if (!here) return false;
    }
    done_[a.stage][p][a.micro_batch] = true;
    return true;
  }

  // False when the message does not belong here or its end was posted before.
  constexpr bool post(const action& a, const link_table<Links>& links, int r) {
    if (a.link < 0 || a.link >= links.count || a.micro_batch < 0 || a.micro_batch >= MicroBatches) {
      return false;
    }
    const link& k = links.at[a.link];
    const bool sends = is_send(a.kind);
    const bool kind_fits = a.kind == (sends ? send_kind(k.made) : receive_kind(k.made));
    unsigned char& ends = ends_[a.link][a.micro_batch];
    const unsigned char mine = sends ? sent : received;
    if (!kind_fits || rank_of(sends ? k.from : k.to) != r || (ends & mine) != 0) return false;
    if (sends && !done_[k.from][static_cast<int>(k.made)][a.micro_batch]) return false;
    ends = static_cast<unsigned char>(ends | mine);
    if (ends != both) {
      ++pending_[r];
      return true;
    }
    const int peer = rank_of(sends ? k.to : k.from);
    if (--pending_[peer] == 0) wake(peer);
    return true;
  }
};

}  // namespace detail

// The first fault of a lowered program, or none.
template <int Stages, int MicroBatches, class Table, int Links>
constexpr message_fault prove_messages(const Table& t, const link_table<Links>& links) {
  detail::rendezvous<Stages, MicroBatches, Table, Links> all(links);
  while (!all.finished()) all.run(t, links, 1 << 30);
  return all.fault();
}

}  // namespace backstitch
