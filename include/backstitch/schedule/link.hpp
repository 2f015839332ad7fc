// Links: who sends to whom, once per micro-batch, and in which phase.
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/scratch.hpp"
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

// A message per micro-batch from one stage to another. It leaves after `made` of the sending stage
// and arrives before `used` of the receiving one. A backward phase is over with B or I: W neither
// sends nor waits.
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

// Links, wherever they lie.
struct link_view {
  int count = 0;             // links in use
  const link* at = nullptr;  // by number
};

// Whether a message goes past a stage.
constexpr bool has_skip_link(const link_view& links) {
  for (int l = 0; l < links.count; ++l) {
    const int distance = links.at[l].from - links.at[l].to;
    if (distance > 1 || distance < -1) return true;
  }
  return false;
}

// Writes the links of `pipes` plain chains of `stages` stages together: activations to the next
// stage, gradients back unless `forward_only`. Returns how many; at most 2 * stages.
constexpr int write_chain_links(link* out, int stages, int pipes, bool forward_only) {
  int n = 0;
  const int of_one = stages / pipes;
  for (int s = 0; s + 1 < stages; ++s) {
    if ((s + 1) % of_one == 0) continue;
    out[n++] = {s, s + 1, phase::forward, phase::forward};
    if (!forward_only) out[n++] = {s + 1, s, phase::backward, phase::backward};
  }
  return n;
}

// The same as a table.
template <int Stages>
constexpr auto chain_links(int pipes = 1, bool forward_only = false) {
  link_table<2 * Stages> t;
  t.count = write_chain_links(t.at, Stages, pipes, forward_only);
  return t;
}

namespace detail {

// The phase whose messages an action of work waits for and sends; -1: W has none.
constexpr int phase_of(action_kind k) {
  return k == action_kind::forward                                        ? 0
         : k == action_kind::backward || k == action_kind::backward_input ? 1
                                                                          : -1;
}

// Links by stage: the ones that leave after a phase and the ones that arrive before it, as chains
// through `next`. Outgoing links start with the farthest receiver, whose answer takes longest.
// `Stages`, `Links`: 0 for sizes that are known at run time only.
template <int Stages = 0, int Links = 0>
struct link_index {
  scratch<int, 2 * Stages> first_out, first_in;  // by 2 * stage + phase
  scratch<int, Links> next_out, next_in;         // by link

  constexpr link_index(int stages, const link_view& t)
      : first_out(2 * stages), first_in(2 * stages), next_out(t.count), next_in(t.count) {
    for (int i = 0; i < 2 * stages; ++i) first_out.at[i] = first_in.at[i] = -1;
    for (int l = t.count - 1; l >= 0; --l) {
      const link& k = t.at[l];
      int* in = &first_in.at[2 * k.to + static_cast<int>(k.used)];
      next_in.at[l] = *in;
      *in = l;
      int* out = &first_out.at[2 * k.from + static_cast<int>(k.made)];
      while (*out >= 0 && distance(t.at[*out]) > distance(k)) out = &next_out.at[*out];
      next_out.at[l] = *out;
      *out = l;
    }
  }
  static constexpr int distance(const link& k) {
    return k.to > k.from ? k.to - k.from : k.from - k.to;
  }
};

}  // namespace detail
}  // namespace backstitch
