// Cross-stage edges: a variable written in one stage and read in another is a message.
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/model/flow.hpp"
#include "backstitch/model/table.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace backstitch::detail {

// One variable that crosses from one stage to another, once per micro-batch.
struct edge_row {
  int variable = 0;
  int from = 0;
  int to = 0;
  bool made_forward = true;  // written by a forward op of `from`
  bool used_forward =
      true;  // first read by a forward op of `to`; else by a backward or optimize op
};

template <int Capacity>
struct edge_list {
  int count = 0;
  edge_row edge[extent(Capacity)] = {};
};

// Edges in the order in which their variables are written. O(uses). What does not fit is
// counted only: call once to count, once to fill.
template <int Capacity, class Table>
constexpr auto find_edges(const Table& t) {
  edge_list<Capacity> list;
  for (int p = 0; p < t.uses; ++p) {
    const use_row& from = t.use[p];
    const variable_row& v = t.variable[from.variable];
    if (!from.produces() || !is_per_micro_batch(v.kind)) continue;
    for (int u = v.first_use; u >= 0; u = t.use[u].next) {
      const use_row& to = t.use[u];
      if (to.stage == from.stage || to.reads == 0) continue;
      if (list.count < Capacity) {
        list.edge[list.count] = {from.variable, from.stage, to.stage, from.made_forward(),
                                 (to.reads & in_forward) != 0};
      }
      ++list.count;
    }
  }
  return list;
}

template <class P>
inline constexpr auto edges_v = find_edges<find_edges<1>(model_v<P>).count + 1>(model_v<P>);

// The uses at the two ends of edge e.
template <class P>
constexpr int sender_use(int e) {
  return model_v<P>.find_use(edges_v<P>.edge[e].variable, edges_v<P>.edge[e].from);
}
template <class P>
constexpr int receiver_use(int e) {
  return model_v<P>.find_use(edges_v<P>.edge[e].variable, edges_v<P>.edge[e].to);
}

template <class P>
constexpr auto verdict_on_model() {
  using structure = structure_verdict<P>;
  if constexpr (!std::is_same_v<structure, error::accepted>) {
    return type_is<structure>{};
  } else {
    return verdict_on_flow<P>();
  }
}

// error::accepted, or the first rule that the model breaks.
template <class P>
using model_verdict = typename decltype(verdict_on_model<P>())::type;

}  // namespace backstitch::detail
