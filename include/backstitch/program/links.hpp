// From a model's edges to a schedule's links: all variables that go from one stage to another in
// one phase travel together.
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/model/edges.hpp"
#include "backstitch/schedule/link.hpp"

namespace backstitch::detail {

// `link_of[e]` is the link of edge e.
template <int Capacity>
struct joined_edges {
  link_table<Capacity> table;
  int link_of[extent(Capacity)] = {};
};

// O(edges * links).
template <int Capacity>
constexpr auto join_edges(const edge_list<Capacity>& edges) {
  joined_edges<Capacity> out;
  link_table<Capacity>& links = out.table;
  for (int e = 0; e < edges.count; ++e) {
    const edge_row& edge = edges.edge[e];
    const phase made = edge.made_forward ? phase::forward : phase::backward;
    const phase used = edge.used_forward ? phase::forward : phase::backward;
    int l = 0;
    while (l < links.count && (links.at[l].from != edge.from || links.at[l].to != edge.to ||
                               links.at[l].made != made)) {
      ++l;
    }
    if (l == links.count) {
      links.at[links.count++] = {edge.from, edge.to, made, used};
    } else if (used == phase::forward) {
      links.at[l].used = phase::forward;
    }
    out.link_of[e] = l;
  }
  return out;
}

template <class Pipeline>
inline constexpr auto joined_v = join_edges(edges_v<Pipeline>);

// The links alone, at their exact number.
template <class Pipeline>
constexpr auto trim_links() {
  constexpr const auto& all = joined_v<Pipeline>.table;
  link_table<all.count + 1> t;
  for (; t.count < all.count; ++t.count) t.at[t.count] = all.at[t.count];
  return t;
}
template <class Pipeline>
struct links_of {
  static constexpr auto value = trim_links<Pipeline>();
};

}  // namespace backstitch::detail
