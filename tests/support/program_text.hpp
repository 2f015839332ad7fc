// Programs as plain vectors, and as text in the notation of tests/golden.
//
// A rank's text: cells between commas or blanks. A cell is `<stage><OP><micro-batch>`; `a+b` is a
// group, and so is `(a;b)OVERLAP_F_B`. A message finds its link by stage and kind; where several
// fit, `@<link>` behind the cell says which. A trailing `r` belongs to the second copy of the
// model.
#pragma once

#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/link.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace program_text {

using backstitch::action;
using backstitch::action_kind;
using backstitch::link;
using backstitch::phase;

// All that a verdict depends on.
struct program {
  int stages = 1;         // of all copies together
  int micro_batches = 1;  // of all copies together
  int pipes = 1;
  bool forward_only = false;
  std::vector<int> rank_of;  // by stage
  std::vector<link> links;
  std::vector<int> caps;                  // by rank; empty: no rule on memory
  std::vector<std::vector<action>> list;  // by rank

  int ranks() const { return static_cast<int>(list.size()); }
  friend bool operator==(const program& a, const program& b) {
    return a.stages == b.stages && a.micro_batches == b.micro_batches && a.pipes == b.pipes &&
           a.forward_only == b.forward_only && a.rank_of == b.rank_of && a.caps == b.caps &&
           a.list == b.list;
  }
};

// The links of plain chains, one per copy.
inline std::vector<link> chains(int stages, int pipes, bool forward_only) {
  std::vector<link> links;
  const int of_one = stages / pipes;
  for (int s = 0; s + 1 < stages; ++s) {
    if (s / of_one != (s + 1) / of_one) continue;
    links.push_back({s, s + 1, phase::forward, phase::forward});
    if (!forward_only) links.push_back({s + 1, s, phase::backward, phase::backward});
  }
  return links;
}

namespace detail {

struct named {
  const char* name;
  action_kind kind;
};
// Longest first among those of which one is the start of another.
inline constexpr named names[] = {
    {"SEND_F", action_kind::send_forward},  {"RECV_F", action_kind::receive_forward},
    {"SEND_B", action_kind::send_backward}, {"RECV_B", action_kind::receive_backward},
    {"RELEASE", action_kind::release},      {"REDUCE", action_kind::reduce},
    {"UPDATE", action_kind::update},        {"F", action_kind::forward},
    {"B", action_kind::backward},           {"I", action_kind::backward_input},
    {"W", action_kind::backward_weight}};

inline int number(std::string_view& s) {
  const bool minus = !s.empty() && s[0] == '-';
  std::size_t n = minus ? 1 : 0;
  while (n < s.size() && s[n] >= '0' && s[n] <= '9') ++n;
  if (n == (minus ? 1u : 0u)) throw std::runtime_error("number expected: '" + std::string(s) + "'");
  const int value = std::stoi(std::string(s.substr(0, n)));
  s.remove_prefix(n);
  return value;
}

inline int find_link(const program& p, const action& a) {
  for (std::size_t l = 0; l < p.links.size(); ++l) {
    const link& k = p.links[l];
    if (backstitch::send_kind(k.made) == a.kind && k.from == a.stage) return static_cast<int>(l);
    if (backstitch::receive_kind(k.made) == a.kind && k.to == a.stage) return static_cast<int>(l);
  }
  return -1;
}

inline action read_action(const program& p, std::string_view s, int group) {
  const std::string whole(s);
  action a;
  a.group = group;
  a.stage = number(s);
  bool known = false;
  for (const named& n : names) {
    const std::string_view name = n.name;
    if (s.substr(0, name.size()) != name) continue;
    a.kind = n.kind;
    s.remove_prefix(name.size());
    known = true;
    break;
  }
  if (!known) throw std::runtime_error("unknown action '" + whole + "'");
  const bool counted = a.kind != action_kind::reduce && a.kind != action_kind::update;
  if (counted || !s.empty()) a.micro_batch = number(s);
  if (!s.empty() && s[0] == 'r') {
    a.stage += p.stages / p.pipes;
    a.micro_batch += p.micro_batches / p.pipes;
    s.remove_prefix(1);
  }
  if (backstitch::is_message(a.kind)) a.link = find_link(p, a);
  if (!s.empty() && s[0] == '@') {
    s.remove_prefix(1);
    a.link = number(s);
  }
  if (!s.empty()) throw std::runtime_error("unknown action '" + whole + "'");
  return a;
}

inline std::vector<std::string_view> split(std::string_view text, std::string_view at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(at), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace detail

// One rank's list. Group numbers count up from 0.
inline std::vector<action> read_rank(const program& p, std::string_view text) {
  std::vector<action> list;
  int groups = 0;
  for (std::string_view cell : detail::split(text, ", ")) {
    constexpr std::string_view overlap = "OVERLAP_F_B";
    if (cell.front() == '(' && cell.size() > overlap.size() + 2 &&
        cell.substr(cell.size() - overlap.size()) == overlap) {
      cell = cell.substr(1, cell.size() - overlap.size() - 2);
    }
    const std::vector<std::string_view> parts = detail::split(cell, "+;");
    const int group = parts.size() > 1 ? groups++ : -1;
    for (const std::string_view part : parts) list.push_back(detail::read_action(p, part, group));
  }
  return list;
}

// For messages of a failing test: one line per rank, groups as numbers behind `#`.
inline std::string write(const program& p) {
  std::string out = "S=" + std::to_string(p.stages) + " M=" + std::to_string(p.micro_batches) +
                    " P=" + std::to_string(p.pipes) + (p.forward_only ? " forward only" : "");
  out += " rank_of";
  for (const int r : p.rank_of) out += ' ' + std::to_string(r);
  out += " links";
  for (const link& k : p.links) {
    out += ' ' + std::to_string(k.from) + (k.made == phase::forward ? "F" : "B") + '>' +
           std::to_string(k.to) + (k.used == phase::forward ? "F" : "B");
  }
  if (!p.caps.empty()) out += " caps";
  for (const int c : p.caps) out += ' ' + std::to_string(c);
  for (const std::vector<action>& list : p.list) {
    out += '\n';
    for (const action& a : list) {
      out +=
          std::to_string(a.stage) + backstitch::action_name(a.kind) + std::to_string(a.micro_batch);
      if (a.link >= 0) out += '@' + std::to_string(a.link);
      if (a.group >= 0) out += '#' + std::to_string(a.group);
      out += ' ';
    }
  }
  return out + '\n';
}

}  // namespace program_text
