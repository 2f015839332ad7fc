// The peers' lists as the library's own data, for what runs or measures them.
#pragma once

#include "backstitch/dynamic/schedule.hpp"

#include "support/golden.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace golden {

namespace bs = backstitch;

// A list of a peer as the library's own data. Who owns a stage is seen from the line it stands on.
struct imported {
  bs::shape sizes;
  bs::dynamic_timetable table{0};
  std::vector<int> rank_of;
  int splits = 1;
  bool only_forward = true;

  explicit imported(const action_list& g) : table(g.ranks) {
    int stages = 0, pipes = 1;
    each(g, [&](int, const op& o) {
      stages = std::max(stages, o.stage + 1);
      if (o.reversed) pipes = 2;
      splits = std::max(splits, o.split + 1);
    });
    // DeepSeek's lists count the micro-batches of each direction from 0.
    const bool from_zero = g.file.rfind("dualpipe_", 0) == 0;
    rank_of.assign(static_cast<std::size_t>(stages * pipes), -1);
    std::map<const cell*, int> pairs;
    for (int r = 0; r < g.ranks; ++r) {
      for (const cell& c : g.rank[static_cast<std::size_t>(r)]) {
        for (const op& o : c) {
          if (!is_work(o)) continue;
          const int stage = o.stage + (o.reversed ? stages : 0);
          const int first = o.reversed && from_zero ? g.micro_batches / 2 : 0;
          const int group =
              o.overlapped ? pairs.try_emplace(&c, int(pairs.size())).first->second : -1;
          rank_of[static_cast<std::size_t>(stage)] = r;
          table.append(r, {kind_of(o.name), stage,
                           (o.micro_batch + first) * splits + std::max(o.split, 0), -1, group});
        }
      }
    }
    sizes.ranks = g.ranks;
    sizes.stages = stages * pipes;
    sizes.micro_batches = g.micro_batches * splits;
    sizes.pipes = pipes;
    sizes.rank_of_stage = rank_of.data();
  }
  imported(const imported&) = delete;

  static bool is_work(const op& o) { return o.name.size() == 1; }
  bs::action_kind kind_of(const std::string& name) {
    if (name != "F") only_forward = false;
    return name == "F"   ? bs::action_kind::forward
           : name == "B" ? bs::action_kind::backward
           : name == "I" ? bs::action_kind::backward_input
                         : bs::action_kind::backward_weight;
  }
  template <class F>
  static void each(const action_list& g, F f) {
    for (int r = 0; r < g.ranks; ++r) {
      for (const cell& c : g.rank[static_cast<std::size_t>(r)]) {
        for (const op& o : c) {
          if (is_work(o)) f(r, o);
        }
      }
    }
  }
};

}  // namespace golden
