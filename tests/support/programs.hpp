// Whole programs at run time: a policy lowered both ways, or an action list of tests/golden.
#pragma once

#include "backstitch/dynamic/contract.hpp"
#include "backstitch/dynamic/schedule.hpp"
#include "backstitch/schedule/placement.hpp"

#include "support/golden.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace programs {

namespace bs = backstitch;

// A program with everything that it is checked against.
struct program {
  bs::dynamic_shape placed;
  std::vector<bs::link> links;
  bs::dynamic_timetable lists;
  bool forward_only = false;

  bs::shape shape() const { return placed.get(); }
  bs::fault check(bs::channel_model channel = {}) const {
    return bs::check_program(shape(), links, lists.view(), channel, forward_only);
  }
};

// F, B, I and W of a policy on a chain.
template <class Policy>
program work(int ranks, int micro_batches) {
  bs::dynamic_shape placed = bs::dynamic_shape_for<Policy>(ranks, micro_batches);
  const bs::shape s = placed.get();
  const bool forward_only = bs::detail::is_forward_only<Policy>();
  return {std::move(placed), bs::dynamic_chain_links(s, forward_only), bs::generate<Policy>(s),
          forward_only};
}
inline program late(const program& p) {
  return {p.placed, p.links, bs::lower_late(p.shape(), p.links, p.lists.view(), !p.forward_only),
          p.forward_only};
}
inline program together(const program& p, const int* const* pauses = nullptr) {
  return {p.placed, p.links,
          bs::lower_together(p.shape(), p.links, p.lists.view(), !p.forward_only, pauses),
          p.forward_only};
}

// Without messages and updates.
inline bs::dynamic_timetable without(const bs::dynamic_timetable& lists,
                                     bool (*dropped)(const bs::action&)) {
  bs::dynamic_timetable kept(lists.ranks());
  for (int r = 0; r < lists.ranks(); ++r) {
    for (const bs::action& a : lists.list(r)) {
      if (!dropped(a)) kept.append(r, a);
    }
  }
  return kept;
}
inline bool is_message(const bs::action& a) { return bs::is_message(a.kind); }
inline bool is_no_work(const bs::action& a) { return !bs::is_work(a.kind); }
inline bool is_update(const bs::action& a) {
  return a.kind == bs::action_kind::update || a.kind == bs::action_kind::reduce;
}

// `0F0,0SEND_F0+0RECV_B0,(1F2;0B1)OVERLAP_F_B,0OPT_STEP`. Of several copies of the model, the later
// ones are written with `r` and numbers of their own.
inline std::string text(const std::vector<bs::action>& list, const bs::shape& s) {
  const int stages = s.stages / s.pipes, micro_batches = s.micro_batches / s.pipes;
  std::string out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bs::action& a = list[i];
    const bool joins_last = a.group >= 0 && i > 0 && list[i - 1].group == a.group;
    const bool joins_next = a.group >= 0 && i + 1 < list.size() && list[i + 1].group == a.group;
    const bool pair = bs::is_work(a.kind);
    if (!out.empty()) out += !joins_last ? "," : pair ? ";" : "+";
    if (pair && joins_next && !joins_last) out += '(';
    out += std::to_string(a.stage % stages);
    out += a.kind == bs::action_kind::update ? "OPT_STEP" : bs::action_name(a.kind);
    if (!is_update(a)) out += std::to_string(a.micro_batch % micro_batches);
    if (a.stage >= stages) out += 'r';
    if (pair && joins_last) out += ")OVERLAP_F_B";
  }
  return out;
}

inline int find_link(const std::vector<bs::link>& links, int from, int to) {
  for (std::size_t l = 0; l < links.size(); ++l) {
    if (links[l].from == from && links[l].to == to) return static_cast<int>(l);
  }
  throw std::runtime_error("no such link");
}

// An action list with its messages. What is neither work nor message nor update is left out.
template <class Placement>
program read(const golden::action_list& list, int chunks, int pipes, bool forward_only) {
  const int stages = list.ranks * (chunks > list.chunks ? chunks : list.chunks);
  program p{bs::dynamic_shape::of<Placement>(list.ranks, stages, list.micro_batches, pipes),
            {},
            bs::dynamic_timetable(list.ranks),
            forward_only};
  p.links = bs::dynamic_chain_links(p.shape(), forward_only);
  const int of_one = stages / pipes;
  for (int r = 0; r < list.ranks; ++r) {
    int group = 0;
    for (const golden::cell& cell : list.rank[static_cast<std::size_t>(r)]) {
      const int number = cell.size() > 1 ? group++ : -1;
      for (const golden::op& o : cell) {
        bs::action a;
        a.stage = o.stage + (o.reversed ? of_one : 0);
        a.micro_batch = o.micro_batch + (o.reversed ? list.micro_batches / pipes : 0);
        a.group = number;
        const std::string& n = o.name;
        const auto message = [&](bs::action_kind kind, int from, int to) {
          a.kind = kind;
          a.link = find_link(p.links, from, to);
        };
        if (n == "F") {
          a.kind = bs::action_kind::forward;
        } else if (n == "B") {
          a.kind = bs::action_kind::backward;
        } else if (n == "I") {
          a.kind = bs::action_kind::backward_input;
        } else if (n == "W") {
          a.kind = bs::action_kind::backward_weight;
        } else if (n == "SEND_F") {
          message(bs::action_kind::send_forward, a.stage, a.stage + 1);
        } else if (n == "RECV_F") {
          message(bs::action_kind::receive_forward, a.stage - 1, a.stage);
        } else if (n == "SEND_B") {
          message(bs::action_kind::send_backward, a.stage, a.stage - 1);
        } else if (n == "RECV_B") {
          message(bs::action_kind::receive_backward, a.stage + 1, a.stage);
        } else {
          continue;
        }
        p.lists.append(r, a);
      }
    }
  }
  return p;
}

}  // namespace programs
