// Lifetimes of per-micro-batch values over a rank's list, and the slots they need.
//
// An instance lives from the action that writes it (a receive, for a value from another stage) to
// the last action that reads it, sends included. A variable has exactly as many slots as instances
// that live at once; micro-batch m uses slot m mod n, checked to be free of overlap.
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/model/edges.hpp"
#include "backstitch/program/links.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/link.hpp"
#include "backstitch/schedule/shape.hpp"

#include <type_traits>

namespace backstitch::detail {

// How a stage holds a variable.
enum class holding : int {
  none,      // not on this stage, or lent: read in place from the stage that wrote it
  lasting,   // one value for the run or step
  produced,  // written here, one per micro-batch
  received,  // copied here from another stage, one per micro-batch
};

struct slot_plan {
  holding how = holding::none;
  int count = 0;      // slots
  bool kept = false;  // one slot per micro-batch until the next step
  bool lent = false;  // this stage reads the slot of the stage that wrote it
  int edge = -1;      // the edge that it is received or lent through
  // The action of this stage with which a value begins: a receive on first_link, or F or B.
  int first_link = -1;
  bool made_forward = false;
  // The action of this stage after which the value of a micro-batch is dead.
  action_kind last = action_kind::forward;
  int last_link = -1;         // the link, if `last` is a send
  bool until_update = false;  // the last micro-batch's value lives until the optimizer has run
};

// Positions in a rank's list of what one stage does for each micro-batch.
template <int Links, int MicroBatches>
struct position_table {
  int forward[extent(MicroBatches)] = {};
  int backward[extent(MicroBatches)] = {};
  int update = 0;
  int message[extent(Links)][extent(MicroBatches)] =
      {};  // this stage's end of each link; its group's first slot
};

template <int Uses>
struct slot_list {
  slot_plan use[extent(Uses)] = {};
};

template <int Links, int MicroBatches, class Table>
constexpr auto find_positions(const Table& t, int rank, int stage) {
  position_table<Links, MicroBatches> at;
  int group_start = 0;
  for (int i = 0; i < t.count[rank]; ++i) {
    const action& a = t.list[rank][i];
    if (i == 0 || a.group < 0 || a.group != t.list[rank][i - 1].group) group_start = i;
    if (a.stage != stage) continue;
    switch (a.kind) {
      case action_kind::forward:
        at.forward[a.micro_batch] = i;
        break;
      case action_kind::backward:
        at.backward[a.micro_batch] = i;
        break;
      case action_kind::update:
        at.update = i;
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

// Most instances that live at once. Starts and ends rise with the micro-batch in every
// first-in-first-out schedule; then m mod peak never meets itself. Otherwise every micro-batch gets
// a slot of its own.
template <int MicroBatches>
constexpr int count_slots(const lifetimes<MicroBatches>& live) {
  for (int m = 1; m < MicroBatches; ++m) {
    if (live.start[m] < live.start[m - 1] || live.end[m] < live.end[m - 1]) return MicroBatches;
  }
  int peak = 1;
  for (int m = 0, oldest = 0; m < MicroBatches; ++m) {
    while (live.end[oldest] < live.start[m]) ++oldest;
    peak = m - oldest + 1 > peak ? m - oldest + 1 : peak;
  }
  return peak;
}

// Whether a value can be read in place on the stage that wrote it: the writer's own backward reads
// it anyway, and that backward waits for a message that the reader sends after its last use.
template <class Model, class Links>
constexpr bool can_lend(const Model& model, const Links& links, const edge_row& edge) {
  const use_row& from = model.use[model.find_use(edge.variable, edge.from)];
  const use_row& to = model.use[model.find_use(edge.variable, edge.to)];
  if (!edge.made_forward || edge.to <= edge.from) return false;
  if ((from.reads & in_backward) == 0 || (from.updates & in_backward) != 0) return false;
  if ((to.reads & in_optimize) != 0) return false;
  // Backward messages from stage to stage, all the way from the reader to the writer.
  for (int s = edge.to; s > edge.from; --s) {
    bool answered = false;
    for (int l = 0; l < links.count && !answered; ++l) {
      const link& k = links.at[l];
      answered = k.from == s && k.to == s - 1 && k.made == phase::backward;
    }
    if (!answered) return false;
  }
  return true;
}

// Plans the slots of every use of a variable by a stage. `keep`: memory::keep. `shared_memory`:
// ranks may read each other's slots.
template <int Stages, int MicroBatches, int Uses, int Links, class Model, class Edges, class Joined,
          class Table>
struct slot_planner {
  const Model& model;
  const Edges& edges;
  const Joined& joined;
  const Table& table;
  bool keep;
  bool shared_memory;

  // Writes the plan of every use by stage `s`. Stage by stage, so that each can be a constant
  // evaluation of its own.
  constexpr void plan_stage(int s, slot_list<Uses>& out) const {
    const auto at = find_positions<Links, MicroBatches>(table, rank_of_stage(s, Table::ranks), s);
    int first = -1;  // of this stage's uses; they follow each other
    for (int u = 0; u < model.uses; ++u) {
      if (model.use[u].stage != s) continue;
      if (first < 0) first = u;
      out.use[u] = plan_use(u, at, first, out);
    }
  }

 private:
  template <class Positions>
  constexpr slot_plan plan_use(int u, const Positions& at, int first,
                               const slot_list<Uses>& done) const {
    const use_row& use = model.use[u];
    slot_plan p;
    if (!is_per_micro_batch(model.variable[use.variable].kind)) {
      p.how = holding::lasting;
      p.count = 1;
      return p;
    }
    find_edge(u, p);
    if (p.lent) return p;
    find_last(u, at, p);
    const bool is_output = use.produces() && use.reads == 0 && p.last_link < 0;
    p.kept = keep || is_output;
    p.first_link = p.how == holding::received ? joined.link_of[p.edge] : -1;
    p.made_forward = use.made_forward();
    p.count = p.kept ? MicroBatches : slots_of_twin(u, p, first, done);
    if (p.count == 0) p.count = count_slots(live(at, p));
    return p;
  }

  // The slots of an earlier use of the stage that lives between the same actions, or 0. Most values
  // share a handful of lifetimes, and each costs a walk over all micro-batches.
  constexpr int slots_of_twin(int u, const slot_plan& p, int first,
                              const slot_list<Uses>& done) const {
    for (int v = first; v < u; ++v) {
      const slot_plan& other = done.use[v];
      if (other.how == p.how && !other.kept && other.first_link == p.first_link &&
          other.made_forward == p.made_forward && other.last == p.last &&
          other.last_link == p.last_link && other.until_update == p.until_update) {
        return other.count;
      }
    }
    return 0;
  }

  // Where the value comes from: written here, or received through an edge.
  constexpr void find_edge(int u, slot_plan& p) const {
    const use_row& use = model.use[u];
    p.how = use.produces() ? holding::produced : holding::received;
    if (use.produces()) return;
    for (int e = 0; e < edges.count; ++e) {
      if (edges.edge[e].variable != use.variable || edges.edge[e].to != use.stage) continue;
      p.edge = e;
      const bool same_rank =
          rank_of_stage(edges.edge[e].from, Table::ranks) == rank_of_stage(use.stage, Table::ranks);
      p.lent = same_rank || (shared_memory && can_lend(model, joined.table, edges.edge[e]));
    }
    if (p.lent) p.how = holding::none;
  }

  // Forward, sends after it, backward, sends after it: always in this order for one micro-batch.
  template <class Positions>
  constexpr void find_last(int u, const Positions& at, slot_plan& p) const {
    const use_row& use = model.use[u];
    const unsigned touched = use.reads | use.writes | use.accumulates;
    p.last = (touched & in_backward) != 0 ? action_kind::backward : action_kind::forward;
    p.until_update = (use.reads & in_optimize) != 0;
    if (p.how == holding::received && (use.reads & (in_forward | in_backward)) == 0) {
      p.last = action_kind::backward;
    }
    int position = -1;
    for (int e = 0; e < edges.count; ++e) {
      const edge_row& edge = edges.edge[e];
      if (edge.variable != use.variable || edge.from != use.stage) continue;
      if (p.last == action_kind::backward && edge.made_forward) continue;
      const int l = joined.link_of[e];
      if (at.message[l][0] < position) continue;
      position = at.message[l][0];
      p.last_link = l;
    }
    if (p.last_link >= 0) {
      p.last =
          p.last == action_kind::backward ? action_kind::send_backward : action_kind::send_forward;
    }
  }

  template <class Positions>
  static constexpr auto live(const Positions& at, const slot_plan& p) {
    lifetimes<MicroBatches> out;
    for (int m = 0; m < MicroBatches; ++m) {
      out.start[m] = p.how == holding::received ? at.message[p.first_link][m]
                     : p.made_forward           ? at.forward[m]
                                                : at.backward[m];
      out.end[m] = p.last_link >= 0                  ? at.message[p.last_link][m]
                   : p.last == action_kind::backward ? at.backward[m]
                                                     : at.forward[m];
      if (p.until_update && m == MicroBatches - 1) out.end[m] = at.update;
    }
    return out;
  }
};

}  // namespace backstitch::detail
