// Links: who sends to whom, once per micro-batch, and in which phase.
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// The half of a micro-batch's work.
enum class phase : int { forward, backward };

// The actions at the two ends of a message that was made in a phase.
constexpr action_kind send_kind(phase made) {
  return made == phase::forward ? action_kind::send_forward : action_kind::send_backward;
}
// The other end of the same message.
constexpr action_kind receive_kind(phase made) {
  return made == phase::forward ? action_kind::receive_forward : action_kind::receive_backward;
}
// The phase of an F or a B, as the number that tables are indexed by.
constexpr int phase_number(action_kind k) { return k == action_kind::backward ? 1 : 0; }

// A message per micro-batch from one stage to another. It leaves after `made` of the sending stage
// and arrives before `used` of the receiving one.
struct link {
  int from = 0;                 // sending stage
  int to = 0;                   // receiving stage
  phase made = phase::forward;  // behind which phase of the sender
  phase used = phase::forward;  // before which phase of the receiver
};

// The links of a model; a link's number is its place in the table.
template <int Capacity>
struct link_table {
  static constexpr int capacity = Capacity;  // most links
  int count = 0;                             // links in use
  link at[detail::extent(Capacity)] = {};    // by number
};

// Whether a message goes past a rank: neither to the same nor to a neighbouring one.
template <int Capacity>
constexpr bool has_skip_link(const link_table<Capacity>& links, int ranks) {
  for (int l = 0; l < links.count; ++l) {
    const int distance =
        rank_of_stage(links.at[l].from, ranks) - rank_of_stage(links.at[l].to, ranks);
    if (distance > 1 || distance < -1) return true;
  }
  return false;
}

// The links of a plain chain of stages: activations to the next stage, gradients back.
template <int Stages>
constexpr auto chain_links() {
  link_table<2 * Stages> t;
  for (int s = 0; s + 1 < Stages; ++s) {
    t.at[t.count++] = {s, s + 1, phase::forward, phase::forward};
    t.at[t.count++] = {s + 1, s, phase::backward, phase::backward};
  }
  return t;
}

namespace detail {

// Links by stage: the ones that leave after a phase and the ones that arrive before it, as chains
// through `next`. Outgoing links start with the farthest receiver, whose answer takes longest.
template <int Stages, int Links>
struct link_index {
  int first_out[detail::extent(Stages)][detail::extent(2)] = {};
  int first_in[detail::extent(Stages)][detail::extent(2)] = {};
  int next_out[detail::extent(Links)] = {};
  int next_in[detail::extent(Links)] = {};

  constexpr explicit link_index(const link_table<Links>& t) {
    for (int s = 0; s < Stages; ++s) {
      for (int p = 0; p < 2; ++p) first_out[s][p] = first_in[s][p] = -1;
    }
    for (int l = t.count - 1; l >= 0; --l) {
      const link& k = t.at[l];
      int* in = &first_in[k.to][static_cast<int>(k.used)];
      next_in[l] = *in;
      *in = l;
      int* out = &first_out[k.from][static_cast<int>(k.made)];
      while (*out >= 0 && distance(t.at[*out]) > distance(k)) out = &next_out[*out];
      next_out[l] = *out;
      *out = l;
    }
  }
  static constexpr int distance(const link& k) {
    return k.to > k.from ? k.to - k.from : k.from - k.to;
  }
};

}  // namespace detail
}  // namespace backstitch
