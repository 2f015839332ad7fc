// Lowering, late form: puts the sends, receives, reductions and updates into a rank's work, each
// receive right before the op that needs it.
//
// This holds the least memory. Opposite transfers on one boundary start together, without which
// 1F1B deadlocks under blocking sends; what was made leaves at once, so the receive of the next op
// that waits for its messages joins it even where a W stands between. A receive that only comes
// when the send has arrived stays apart: such a group would wait for itself. Whether a schedule
// works this way must be proven (contract.hpp). The other form is lower_together.hpp.
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/link.hpp"
#include "backstitch/schedule/scratch.hpp"
#include "backstitch/schedule/shape.hpp"
#include "backstitch/schedule/timetable.hpp"

namespace backstitch {

// The most messages in one group of a lowered list: one send and one receive.
inline constexpr int largest_group = 2;

// The most actions that a rank's lowered list can hold: `work`, messages, reductions and updates.
constexpr int lowered_capacity(const shape& s, const link_view& links, int rank, int work) {
  int ends = 0, stages = 0;
  for (int l = 0; l < links.count; ++l) {
    const bool from = s.rank_of(links.at[l].from) == rank, to = s.rank_of(links.at[l].to) == rank;
    ends += from != to ? 1 : 0;
  }
  for (int stage = 0; stage < s.stages; ++stage) stages += s.rank_of(stage) == rank ? 1 : 0;
  return work + ends * s.micro_batches_per_stage() + 2 * stages;
}

namespace detail {

constexpr action send_of(const link& k, int number, int micro_batch, int group) {
  return {send_kind(k.made), k.from, micro_batch, number, group};
}
constexpr action receive_of(const link& k, int number, int micro_batch, int group) {
  return {receive_kind(k.made), k.to, micro_batch, number, group};
}

// The optimizer runs when the rank has nothing else left, sends included; before it, the gradients
// of copies are added up. Both in the order of the model's stages, which is the same on all ranks.
// Returns how many actions were written.
constexpr int write_updates(action* out, const shape& s, int rank) {
  const int of_one = s.stages / s.pipes;
  int n = 0;
  for (int m = 0; s.pipes > 1 && m < of_one; ++m) {
    for (int stage = m; stage < s.stages; stage += of_one) {
      if (s.rank_of(stage) != rank) continue;
      out[n++] = {action_kind::reduce, stage, 0, -1, -1};
      break;
    }
  }
  for (int m = 0; m < of_one; ++m) {
    for (int stage = m; stage < s.stages; stage += of_one) {
      if (s.rank_of(stage) != rank) continue;
      const int last = s.first_micro_batch(stage) + s.micro_batches_per_stage() - 1;
      out[n++] = {action_kind::update, stage, last, -1, -1};
    }
  }
  return n;
}

// Entries from i on that start together: 1, or 2 of an overlapped pair.
constexpr int pair_length(const action* list, int count, int i) {
  return list[i].group >= 0 && i + 1 < count && list[i + 1].group == list[i].group ? 2 : 1;
}

// Where F and B (or I) of each chunk and micro-batch stand in their rank's list: number
// (2 * chunk + phase) * micro_batches + m. The list must be valid.
constexpr void find_work(const shape& s, const action* list, int count, int* position) {
  for (int i = 0; i < count; ++i) {
    const action& a = list[i];
    if (a.kind == action_kind::backward_weight) continue;
    const int p = a.kind == action_kind::forward ? 0 : 1;
    position[(2 * s.chunk_of_stage[a.stage] + p) * s.micro_batches + a.micro_batch] = i;
  }
}

// A message that waits to be written.
struct pending_message {
  int number = 0;  // of its link
  int micro_batch = 0;
};

// Writes one rank's list and returns its length. `position[q]`: see find_work; of the ranks that
// this one exchanges messages with. `Stages`, `Links`: 0 for sizes that are known at run time only.
template <int Stages = 0, int Links = 0>
class late_lowerer {
 public:
  constexpr late_lowerer(action* out, const shape& sizes, const link_view& links,
                         const link_index<Stages, Links>& index, const action* list, int count,
                         const int* const* position)
      : out_(out),
        sizes_(sizes),
        links_(links),
        index_(index),
        list_(list),
        count_(count),
        position_(position),
        only_in_(2 * sizes.stages),
        only_out_(2 * sizes.stages),
        user_(links.count),
        maker_(links.count),
        send_(links.count + 1),
        receive_(links.count + 1) {
    for (int l = 0; l < links.count; ++l) {
      const link& k = links.at[l];
      user_.at[l] =
          (2 * sizes.chunk_of_stage[k.to] + static_cast<int>(k.used)) * sizes.micro_batches;
      maker_.at[l] =
          (2 * sizes.chunk_of_stage[k.from] + static_cast<int>(k.made)) * sizes.micro_batches;
    }
  }

  constexpr int run(int rank, bool updates) {
    for (int c = 0; c < sizes_.chunks; ++c) {
      const int s = sizes_.stage(rank, c);
      for (int key = 2 * s; s >= 0 && key < 2 * s + 2; ++key) {
        only_in_.at[key] = only_link(index_.first_in.at[key], index_.next_in.at);
        only_out_.at[key] = only_link(index_.first_out.at[key], index_.next_out.at);
      }
    }
    // Locals: in constant evaluation a member costs several times as much.
    const action* list = list_;
    action* out = out_;
    const int count = count_;
    const int* rank_of = sizes_.rank_of_stage;
    int n = 0, sends = 0, received = 0;
    int send = none, send_m = 0;  // if there is one only
    for (int i = 0; i < count;) {
      const action& a = list[i];
      const int key = a.kind == action_kind::forward ? 2 * a.stage : 2 * a.stage + 1;
      const int in = only_in_.at[key], sent = only_out_.at[key];
      // The plain case: at most one message before and one behind, nothing to look ahead for.
      if (a.group >= 0 || in == several || sent == several || sends > 1 || received > i ||
          a.kind == action_kind::backward_weight) {
        if (sends == 1) send_.at[0] = {send, send_m};
        n_ = n;
        sends_ = sends;
        i = step(i);
        n = n_;
        sends = sends_;
        received = received_;
        send = send_.at[0].number;
        send_m = send_.at[0].micro_batch;
        continue;
      }
      const int m = a.micro_batch;
      if (sends == 1) {
        const link& there = links_.at[send];
        int group = -1;
        if (in >= 0) {
          const link& back = links_.at[in];
          if (rank_of[back.from] == rank_of[there.to]) {
            const int* position = position_[rank_of[there.to]];
            if (position[user_.at[send] + send_m] > position[maker_.at[in] + m]) group = group_++;
          }
        }
        out[n++] = {
            there.made == phase::forward ? action_kind::send_forward : action_kind::send_backward,
            there.from, send_m, send, group};
        if (in >= 0) out[n++] = {arrival(in), a.stage, m, in, group};
      } else if (in >= 0) {
        out[n++] = {arrival(in), a.stage, m, in, -1};
      }
      out[n++] = {a.kind, a.stage, m, -1, -1};
      sends = sent >= 0 ? 1 : 0;
      send = sent;
      send_m = m;
      ++i;
    }
    if (sends == 1) send_.at[0] = {send, send_m};
    n_ = n;
    sends_ = sends;
    flush();
    return n_ + (updates ? write_updates(out_ + n_, sizes_, rank) : 0);
  }

 private:
  enum : int { none = -1, several = -2 };

  action* out_;
  const shape& sizes_;
  const link_view& links_;
  const link_index<Stages, Links>& index_;
  const action* list_;
  int count_;
  const int* const* position_;
  scratch<int, 2 * Stages> only_in_, only_out_;  // the one link that crosses, `none` or `several`
  scratch<int, Links> user_, maker_;  // where `position` has the work at the two ends of a link
  scratch<pending_message, Links == 0 ? 0 : Links + 1> send_, receive_;
  int n_ = 0, group_ = 0, sends_ = 0, receives_ = 0;
  int received_ = 0;  // the receives of entries before this one have been written

  constexpr bool crosses(int l) const {
    return sizes_.rank_of_stage[links_.at[l].from] != sizes_.rank_of_stage[links_.at[l].to];
  }
  constexpr int only_link(int first, const int* next) const {
    int found = none;
    for (int l = first; l >= 0; l = next[l]) {
      if (crosses(l)) found = found == none ? l : int{several};
    }
    return found;
  }

  // The entries at i, one or an overlapped pair; returns the next one.
  constexpr int step(int i) {
    const int end = i + pair_length(list_, count_, i);
    // The next op that waits for messages: this one, or the one behind the W's here.
    int next = received_ > i ? received_ : i;
    while (sends_ > 0 && next < count_ && list_[next].kind == action_kind::backward_weight) ++next;
    if (next < count_ && (next < end || sends_ > 0)) {
      received_ = next + pair_length(list_, count_, next);
      for (; next < received_; ++next) {
        const int p = phase_of(list_[next].kind);
        if (p < 0) continue;
        for (int l = index_.first_in.at[2 * list_[next].stage + p]; l >= 0;
             l = index_.next_in.at[l]) {
          if (crosses(l)) receive_.at[receives_++] = {l, list_[next].micro_batch};
        }
      }
    }
    flush();
    const int group = end - i > 1 ? group_++ : -1;
    for (; i < end; ++i) {
      const action& a = list_[i];
      out_[n_++] = {a.kind, a.stage, a.micro_batch, -1, group};
      const int p = phase_of(a.kind);
      if (p < 0) continue;
      for (int l = index_.first_out.at[2 * a.stage + p]; l >= 0; l = index_.next_out.at[l]) {
        if (crosses(l)) send_.at[sends_++] = {l, a.micro_batch};
      }
    }
    return end;
  }

  // A send and a receive with the same peer start together; the rest go one by one, sends first.
  constexpr void flush() {
    for (int i = 0; i < sends_; ++i) {
      int partner = 0;
      while (partner < receives_ && !may_join(send_.at[i], receive_.at[partner])) ++partner;
      if (partner == receives_) {
        write_send(send_.at[i], -1);
        continue;
      }
      write_send(send_.at[i], group_);
      write_receive(receive_.at[partner], group_++);
      for (--receives_; partner < receives_; ++partner)
        receive_.at[partner] = receive_.at[partner + 1];
    }
    for (int i = 0; i < receives_; ++i) write_receive(receive_.at[i], -1);
    sends_ = receives_ = 0;
  }
  constexpr void write_send(const pending_message& m, int group) {
    const link& k = links_.at[m.number];
    out_[n_++] = {send_kind(k.made), k.from, m.micro_batch, m.number, group};
  }
  constexpr void write_receive(const pending_message& m, int group) {
    const link& k = links_.at[m.number];
    out_[n_++] = {receive_kind(k.made), k.to, m.micro_batch, m.number, group};
  }
  // With one peer, and neither needs the other: else the group would wait for itself.
  constexpr bool may_join(const pending_message& send, const pending_message& receive) const {
    const link& there = links_.at[send.number];
    const link& back = links_.at[receive.number];
    const int peer = sizes_.rank_of_stage[there.to];
    if (sizes_.rank_of_stage[back.from] != peer) return false;
    return position_[peer][user_.at[send.number] + send.micro_batch] >
           position_[peer][maker_.at[receive.number] + receive.micro_batch];
  }
  constexpr action_kind arrival(int l) const {
    return links_.at[l].made == phase::forward ? action_kind::receive_forward
                                               : action_kind::receive_backward;
  }
};

}  // namespace detail
}  // namespace backstitch
