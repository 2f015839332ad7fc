// Lifetimes of per-micro-batch values over a rank's list, and the slots they need.
//
// An instance lives from the action that writes it (a receive, for a value from another stage) to
// the last action that reads it, sends included. Micro-batch m uses slot m mod n, with the smallest
// n, from the number of instances that live at once on, for which no two of them meet.
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/model/edges.hpp"
#include "backstitch/model/flow.hpp"
#include "backstitch/program/links.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/link.hpp"
#include "backstitch/schedule/shape.hpp"
#include "backstitch/schedule/timetable.hpp"

#include <type_traits>

namespace backstitch::detail {

// How a stage holds a variable.
enum class holding : int {
  none,      // not on this stage, or lent: read in place from the stage that wrote it
  lasting,   // one value for the run or step
  produced,  // written here, one per micro-batch
  received,  // copied here from another stage, one per micro-batch
};

// After which action of which stage a value is dead: the F, the I or B, or the W or B of its
// micro-batch, or a send on a link.
enum class last_event : int {
  forward,
  input,
  weight,
  send,
  unknown,  // not the same for every micro-batch
};

struct slot_plan {
  holding how = holding::none;
  int count = 0;        // slots
  bool kept = false;    // one slot per micro-batch until the next step
  bool lent = false;    // this stage reads the slot of the stage that wrote it
  int edge = -1;        // the edge that it is received or lent through
  int first_link = -1;  // of a received value, the link
  last_event last = last_event::forward;
  int last_stage = 0;         // whose action it is
  int last_link = -1;         // the link, if `last` is a send
  bool until_update = false;  // the last micro-batch's value lives until the optimizer has run
};

// Positions in a rank's list of what one stage does for each micro-batch; members of a group count
// as its first one. -1: it does not.
template <int Links, int MicroBatches>
struct position_table {
  int forward[extent(MicroBatches)] = {};
  int input[extent(MicroBatches)] = {};   // B or I
  int weight[extent(MicroBatches)] = {};  // B or W
  int update = 0;
  int message[extent(Links)][extent(MicroBatches)] = {};  // this stage's end of each link
};

template <int Uses>
struct slot_list {
  slot_plan use[extent(Uses)] = {};
};

template <int Links, int MicroBatches>
constexpr auto find_positions(const program_view& t, int rank, int stage) {
  position_table<Links, MicroBatches> at;
  const action* list = t.list[rank];
  int group_start = 0;
  for (int i = 0; i < t.count[rank]; ++i) {
    const action& a = list[i];
    if (i == 0 || a.group < 0 || a.group != list[i - 1].group) group_start = i;
    if (a.stage != stage) continue;
    switch (a.kind) {
      case action_kind::forward:
        at.forward[a.micro_batch] = group_start;
        break;
      case action_kind::backward:
        at.input[a.micro_batch] = at.weight[a.micro_batch] = group_start;
        break;
      case action_kind::backward_input:
        at.input[a.micro_batch] = group_start;
        break;
      case action_kind::backward_weight:
        at.weight[a.micro_batch] = group_start;
        break;
      case action_kind::update:
        at.update = i;
        break;
      case action_kind::release:
      case action_kind::reduce:
        break;
      default:
        at.message[a.link][a.micro_batch] = group_start;
    }
  }
  return at;
}

template <int MicroBatches>
struct lifetimes {
  int start[extent(MicroBatches)] = {};
  int end[extent(MicroBatches)] = {};  // inclusive
};

// Whether m mod n never meets itself for the micro-batches first .. last - 1.
template <int MicroBatches>
constexpr bool fits(const lifetimes<MicroBatches>& live, int first, int last, int n) {
  bool rising = true, falling = true;  // through the slot
  for (int m = first + n; m < last && (rising || falling); ++m) {
    rising = rising && live.end[m - n] < live.start[m];
    falling = falling && live.end[m] < live.start[m - n];
  }
  return rising || falling;
}
// The smallest number of slots; at most one per micro-batch. O(micro-batches) for schedules that
// are first in, first out, where the most instances at once are enough.
template <int MicroBatches>
constexpr int count_slots(const lifetimes<MicroBatches>& live, int first, int last) {
  bool in_order = true;
  for (int m = first + 1; m < last && in_order; ++m) {
    in_order = live.start[m] >= live.start[m - 1] && live.end[m] >= live.end[m - 1];
  }
  if (in_order) {
    int peak = 1;
    for (int m = first, oldest = first; m < last; ++m) {
      while (live.end[oldest] < live.start[m]) ++oldest;
      peak = m - oldest + 1 > peak ? m - oldest + 1 : peak;
    }
    return peak;
  }
  // A bound on the tries keeps the cost of large steps in hand.
  for (int n = 1, tries = 0; n < last - first && tries < 32; ++n) {
    if (fits(live, first, last, n)) return n;
    tries += n > 8 ? 1 : 0;
  }
  return last - first;
}

// Plans the slots of every use of a variable by a stage. `Setup`: the sizes and the placement.
// `keep`: memory::keep. `shared_memory`: ranks may read each other's slots.
template <class Setup, int Uses, int Links, class Model, class Edges, class Joined>
struct slot_planner {
  static constexpr int M = Setup::micro_batches;
  using positions = position_table<Links, M>;
  static constexpr bool splits = splits_backward<typename Setup::policy>();

  const Model& model;
  const Edges& edges;
  const Joined& joined;
  program_view table;
  bool keep;
  bool shared_memory;

  // Writes the plan of every use by stage `s`. Stage by stage, so that each can be a constant
  // evaluation of its own.
  constexpr void plan_stage(int s, slot_list<Uses>& out) const {
    const auto at = find_positions<Links, M>(table, Setup::rank_of(s), s);
    int first = -1;  // of this stage's uses; they follow each other
    for (int u = 0; u < model.uses; ++u) {
      if (model.use[u].stage != s) continue;
      if (first < 0) first = u;
      out.use[u] = plan_use(u, at, first, out);
    }
  }

 private:
  constexpr slot_plan plan_use(int u, const positions& at, int first,
                               const slot_list<Uses>& done) const {
    const use_row& use = model.use[u];
    slot_plan p;
    if (!is_per_micro_batch(model.variable[use.variable].kind)) {
      p.how = holding::lasting;
      p.count = 1;
      return p;
    }
    if ((use.reads | use.writes | use.accumulates) == 0) return p;  // not in this program
    find_edge(u, p);
    if (p.lent || p.how == holding::none) return p;
    const bool sent = is_sent(u);
    const bool is_output = use.produces() && use.reads == 0 && !sent && !is_lent_on_rank(u);
    p.kept = keep || is_output;
    p.first_link = p.how == holding::received ? joined.link_of[p.edge] : -1;
    p.until_update = (use.reads & in_optimize) != 0;
    const bool simple = find_simple_last(u, p);
    if (simple) {
      p.count = p.kept ? per_stage() : slots_of_twin(u, p, first, done);
      if (p.count > 0) return p;
    }
    lifetimes<M> live;
    find_lifetimes(u, at, p, simple, live);
    const int begin = Setup::sizes.first_micro_batch(use.stage);
    p.count = p.kept ? per_stage() : count_slots(live, begin, begin + per_stage());
    return p;
  }
  static constexpr int per_stage() { return Setup::sizes.micro_batches_per_stage(); }

  // The slots of an earlier use of the stage that lives between the same actions, or 0. Most values
  // share a handful of lifetimes, and each costs a walk over all micro-batches.
  constexpr int slots_of_twin(int u, const slot_plan& p, int first,
                              const slot_list<Uses>& done) const {
    for (int v = first; v < u; ++v) {
      const slot_plan& other = done.use[v];
      if (other.how == p.how && !other.kept && other.first_link == p.first_link &&
          model.use[u].made_forward() == model.use[v].made_forward() &&
          model.use[u].made_by_weights() == model.use[v].made_by_weights() &&
          other.last == p.last && other.last_stage == p.last_stage &&
          other.last_link == p.last_link && other.until_update == p.until_update) {
        return other.count;
      }
    }
    return 0;
  }

  constexpr bool same_rank(const edge_row& e) const {
    return Setup::rank_of(e.from) == Setup::rank_of(e.to);
  }
  constexpr bool leaves(int e, int u) const {
    return edges.edge[e].variable == model.use[u].variable &&
           edges.edge[e].from == model.use[u].stage;
  }
  constexpr bool is_sent(int u) const {
    for (int e = 0; e < edges.count; ++e) {
      if (leaves(e, u) && !same_rank(edges.edge[e])) return true;
    }
    return false;
  }
  // Another stage of the rank reads the value in place.
  constexpr bool is_lent_on_rank(int u) const {
    for (int e = 0; e < edges.count; ++e) {
      if (leaves(e, u) && same_rank(edges.edge[e])) return true;
    }
    return false;
  }

  // Where the value comes from: written here, or received through an edge.
  constexpr void find_edge(int u, slot_plan& p) const {
    const use_row& use = model.use[u];
    if (use.produces()) {
      p.how = holding::produced;
      return;
    }
    for (int e = 0; e < edges.count; ++e) {
      if (edges.edge[e].variable != use.variable || edges.edge[e].to != use.stage) continue;
      p.how = holding::received;
      p.edge = e;
      p.lent = same_rank(edges.edge[e]) || (shared_memory && can_lend(edges.edge[e]));
    }
    if (p.lent) p.how = holding::none;
  }

  // Whether a value can be read in place by another rank: the writer's own backward reads it
  // anyway, and that backward waits for a message that the reader sends after its last use.
  constexpr bool can_lend(const edge_row& edge) const {
    const use_row& from = model.use[model.find_use(edge.variable, edge.from)];
    const use_row& to = model.use[model.find_use(edge.variable, edge.to)];
    if (!edge.made_forward || edge.to <= edge.from) return false;
    if ((from.reads & in_backward) == 0 || (from.updates & in_backward) != 0) return false;
    if ((to.reads & in_optimize) != 0) return false;
    if (splits && (to.reads & in_weight_half) != 0) return false;  // W comes after the message
    // Backward messages from stage to stage, all the way from the reader to the writer.
    for (int s = edge.to; s > edge.from; --s) {
      bool answered = false;
      for (int l = 0; l < joined.table.count && !answered; ++l) {
        const link& k = joined.table.at[l];
        answered = k.from == s && k.to == s - 1 && k.made == phase::backward;
      }
      if (!answered) return false;
    }
    return true;
  }

  // The last phase in which a use touches the value.
  constexpr last_event last_phase(const use_row& use, holding how) const {
    const unsigned touched = use.reads | use.writes | use.accumulates;
    if (splits && (touched & in_weight_half) != 0) return last_event::weight;
    if ((touched & in_backward) != 0) return last_event::input;
    // Only the optimizer reads it: it comes before the backward.
    if (how == holding::received && (touched & in_forward) == 0) return last_event::input;
    return last_event::forward;
  }

  // The last event where the order of events is the same in every schedule: forward, sends after
  // it, backward, sends after it, W. False: it depends, and the positions must be looked at.
  constexpr bool find_simple_last(int u, slot_plan& p) const {
    const use_row& use = model.use[u];
    p.last = last_phase(use, p.how);
    p.last_stage = use.stage;
    if (is_lent_on_rank(u)) return false;
    int sends = 0;
    for (int e = 0; e < edges.count; ++e) {
      if (!leaves(e, u)) continue;
      if (edges.edge[e].made_forward && p.last != last_event::forward) continue;
      if (!edges.edge[e].made_forward && p.last == last_event::weight) return false;
      ++sends;
      p.last_link = joined.link_of[e];
    }
    if (sends > 0) p.last = last_event::send;
    return sends < 2;
  }

  static constexpr int of_event(const positions& at, last_event event, int m) {
    return event == last_event::forward ? at.forward[m]
           : event == last_event::input ? at.input[m]
                                        : at.weight[m];
  }

  // Starts and ends of all instances. Where the last event is not known yet, finds the one that is
  // last for every micro-batch, if there is one.
  constexpr void find_lifetimes(int u, const positions& at, slot_plan& p, bool simple,
                                lifetimes<M>& live) const {
    const use_row& use = model.use[u];
    const int begin = Setup::sizes.first_micro_batch(use.stage), end = begin + per_stage();
    for (int m = begin; m < end; ++m) {
      live.start[m] = p.how == holding::received ? at.message[p.first_link][m]
                      : use.made_forward()       ? at.forward[m]
                      : use.made_by_weights()    ? at.weight[m]
                                                 : at.input[m];
      live.end[m] =
          p.last == last_event::send ? at.message[p.last_link][m] : of_event(at, p.last, m);
    }
    bool kept_for_optimizer = false;  // of another stage of this rank, which updates later
    if (!simple) {
      p.last = last_phase(use, p.how);
      p.last_link = -1;
      for (int m = begin; m < end; ++m) live.end[m] = of_event(at, p.last, m);
      for (int e = 0; e < edges.count; ++e) {
        if (!leaves(e, u)) continue;
        if (same_rank(edges.edge[e])) {
          const auto there =
              find_positions<Links, M>(table, Setup::rank_of(use.stage), edges.edge[e].to);
          const use_row& reader = model.use[model.find_use(use.variable, edges.edge[e].to)];
          const last_event event = last_phase(reader, holding::received);
          int later = 0, earlier = 0;
          for (int m = begin; m < end; ++m) {
            const int position = of_event(there, event, m);
            later += position > live.end[m] ? 1 : 0;
            earlier += position < live.end[m] ? 1 : 0;
            live.end[m] = position > live.end[m] ? position : live.end[m];
          }
          settle(p, later, earlier, {event, edges.edge[e].to, -1});
          kept_for_optimizer = kept_for_optimizer || (reader.reads & in_optimize) != 0;
        } else {
          const int l = joined.link_of[e];
          int later = 0, earlier = 0;
          for (int m = begin; m < end; ++m) {
            const int position = at.message[l][m];
            later += position >= live.end[m] ? 1 : 0;
            earlier += position < live.end[m] ? 1 : 0;
            live.end[m] = position > live.end[m] ? position : live.end[m];
          }
          settle(p, later, earlier, {last_event::send, use.stage, l});
        }
      }
    }
    if (p.until_update) live.end[end - 1] = at.update;
    if (kept_for_optimizer) {
      p.last = last_event::unknown;
      live.end[end - 1] = table.count[Setup::rank_of(use.stage)];
    }
  }
  struct event_place {
    last_event event;
    int stage, link;
  };
  // Of two events, the one that is later for every micro-batch.
  static constexpr void settle(slot_plan& p, int later, int earlier, event_place other) {
    if (later == 0) return;
    if (earlier == 0) {
      p.last = other.event;
      p.last_stage = other.stage;
      p.last_link = other.link;
    } else {
      p.last = last_event::unknown;
      p.last_link = -1;
    }
  }
};

}  // namespace backstitch::detail
