// Untagged channels: whether both ends list a channel's messages in the same order. A receive that
// stands elsewhere would take another message, silently where the sizes agree.
#pragma once

#include "backstitch/analysis/channel.hpp"
#include "backstitch/analysis/fault.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/link.hpp"
#include "backstitch/schedule/shape.hpp"
#include "backstitch/schedule/timetable.hpp"

namespace backstitch::detail {

// A walk over the messages of one rank with another one.
struct channel_cursor {
  const shape& sizes;
  const link_view& links;
  const action* list;
  int count;
  int rank;
  int peer;

  // From slot i on, the next message to (`sends`) or from the peer, or `count`. `kind`: -1: any
  // phase, else the phase in which it was made.
  constexpr int find(int i, bool sends, int kind) const {
    for (; i < count; ++i) {
      const action& a = list[i];
      if (!is_message(a.kind) || is_send(a.kind) != sends) continue;
      if (with_peer(a) && (kind < 0 || static_cast<int>(links.at[a.link].made) == kind)) return i;
    }
    return count;
  }
  constexpr bool with_peer(const action& a) const {
    const link& k = links.at[a.link];
    return sizes.rank_of_stage[is_send(a.kind) ? k.to : k.from] == peer;
  }
  // The slots from i on that start together, as [first, second).
  struct batch {
    int first, second;
  };
  constexpr batch next_batch(int i) const {
    while (i < count && !(is_message(list[i].kind) && with_peer(list[i]))) ++i;
    if (i == count) return {count, count};
    int first = i, second = i + 1;
    if (list[i].group >= 0) {
      while (second < count && list[second].group == list[i].group) ++second;
    }
    return {first, second};
  }
};

constexpr bool same_message(const action& a, const action& b) {
  return a.link == b.link && a.micro_batch == b.micro_batch;
}
constexpr fault order_fault_at(const channel_cursor& c, int slot) {
  const action& a = c.list[slot];
  return {rule::message_order, c.rank, slot, a.stage, a.micro_batch, 0, {}};
}

// One direction: from the rank of `from` to that of `to`.
constexpr fault compare_direction(const channel_cursor& from, const channel_cursor& to, int kind) {
  int i = from.find(0, true, kind), j = to.find(0, false, kind);
  while (i < from.count && j < to.count) {
    if (!same_message(from.list[i], to.list[j])) return order_fault_at(to, j);
    i = from.find(i + 1, true, kind);
    j = to.find(j + 1, false, kind);
  }
  if (i < from.count) return order_fault_at(from, i);
  if (j < to.count) return order_fault_at(to, j);
  return {};
}

// Both directions in one queue, batch against batch. Within a batch the two directions are not
// ordered against each other.
constexpr fault compare_pair(const channel_cursor& a, const channel_cursor& b) {
  auto of_a = a.next_batch(0), of_b = b.next_batch(0);
  int a_send = of_a.first, a_receive = of_a.first, b_send = of_b.first, b_receive = of_b.first;
  for (;;) {
    a_send = a.find(a_send, true, -1);
    a_receive = a.find(a_receive, false, -1);
    b_send = b.find(b_send, true, -1);
    b_receive = b.find(b_receive, false, -1);
    const bool a_sends = a_send < of_a.second, a_receives = a_receive < of_a.second;
    const bool b_sends = b_send < of_b.second, b_receives = b_receive < of_b.second;
    if (!a_sends && !a_receives && of_a.first < a.count) {
      of_a = a.next_batch(of_a.second);
      continue;
    }
    if (!b_sends && !b_receives && of_b.first < b.count) {
      of_b = b.next_batch(of_b.second);
      continue;
    }
    if (a_sends && b_receives && same_message(a.list[a_send], b.list[b_receive])) {
      ++a_send;
      ++b_receive;
    } else if (a_receives && b_sends && same_message(a.list[a_receive], b.list[b_send])) {
      ++a_receive;
      ++b_send;
    } else if (of_a.first < a.count) {
      return order_fault_at(a, a_sends ? a_send : a_receive);
    } else if (of_b.first < b.count) {
      return order_fault_at(b, b_sends ? b_send : b_receive);
    } else {
      return {};
    }
  }
}

// The channels between ranks a < b. O(their actions).
constexpr fault compare_channels(const shape& s, const link_view& links, const program_view& p,
                                 channel_order order, int a, int b) {
  const channel_cursor at_a{s, links, p.list[a], p.count[a], a, b};
  const channel_cursor at_b{s, links, p.list[b], p.count[b], b, a};
  if (order == channel_order::rank_pair) return compare_pair(at_a, at_b);
  const bool apart = order == channel_order::direction_kind;
  for (int kind = apart ? 0 : -1; kind < (apart ? 2 : 0); ++kind) {
    const fault down = compare_direction(at_a, at_b, kind);
    if (down.broken != rule::none) return down;
    const fault up = compare_direction(at_b, at_a, kind);
    if (up.broken != rule::none) return up;
  }
  return {};
}

}  // namespace backstitch::detail
