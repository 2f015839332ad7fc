// The contract for programs whose sizes are known at run time only: tools, tests, imported lists.
#pragma once

#include "backstitch/analysis/buffered.hpp"
#include "backstitch/analysis/channel.hpp"
#include "backstitch/analysis/channel_order.hpp"
#include "backstitch/analysis/contract.hpp"
#include "backstitch/analysis/fault.hpp"
#include "backstitch/analysis/rank_rules.hpp"
#include "backstitch/analysis/rendezvous.hpp"
#include "backstitch/dynamic/schedule.hpp"
#include "backstitch/schedule/link.hpp"
#include "backstitch/schedule/lower.hpp"
#include "backstitch/schedule/lower_together.hpp"

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace backstitch {

// The first broken rule of a lowered program, or none. `caps`: most micro-batches in flight on each
// rank, or null. O(actions).
inline fault check_program(const shape& s, std::span<const link> links, const program_view& p,
                           channel_model channel = {}, bool forward_only = false,
                           const int* caps = nullptr) {
  const link_view view{static_cast<int>(links.size()), links.data()};
  const detail::link_index<> index(s.stages, view);
  std::vector<detail::rank_verdict> verdicts(static_cast<std::size_t>(s.ranks));
  std::vector<const detail::rank_verdict*> all;
  for (int r = 0; r < s.ranks; ++r) {
    detail::rank_verdict& v = verdicts[static_cast<std::size_t>(r)];
    detail::rank_rules<> rules(s, view, index, forward_only);
    v = rules.run(r, p.list[r], p.count[r]);
    all.push_back(&v);
  }
  fault found = detail::first_rank_fault(all.data(), s.ranks, s);
  for (int r = 0; r < s.ranks && found.broken == rule::none && caps != nullptr; ++r) {
    const int peak = verdicts[static_cast<std::size_t>(r)].peak_in_flight;
    if (peak > caps[r]) found = {rule::too_many_in_flight, r, 0, caps[r], peak, 0, {}};
  }
  if (found.broken != rule::none) return found;
  for (int a = 0; a < s.ranks && channel.order != channel_order::tagged; ++a) {
    for (int b = a + 1; b < s.ranks; ++b) {
      found = detail::compare_channels(s, view, p, channel.order, a, b);
      if (found.broken != rule::none) return found;
    }
  }
  constexpr int no_limit = (std::numeric_limits<int>::max)();
  if (channel.capacity == 0) {
    detail::rendezvous<> messages(s);
    while (!messages.finished()) messages.run(s, view, p, no_limit);
    return messages.find_fault(s, view, p);
  }
  detail::buffered_delivery<> messages(s, view);
  while (!messages.finished()) messages.run(s, view, p, channel.capacity, no_limit);
  return messages.find_fault(s, view, p);
}

// The links of plain chains, one per copy of the model.
inline std::vector<link> dynamic_chain_links(const shape& s, bool forward_only = false) {
  std::vector<link> links(static_cast<std::size_t>(2 * s.stages));
  links.resize(
      static_cast<std::size_t>(write_chain_links(links.data(), s.stages, s.pipes, forward_only)));
  return links;
}

namespace detail {

struct to_lists {
  dynamic_timetable& table;
  void add(int rank, const action& a) { table.append(rank, a); }
};

}  // namespace detail

// Receives as late as can be, opposite transfers grouped (lower.hpp).
inline dynamic_timetable lower_late(const shape& s, std::span<const link> links,
                                    const program_view& work, bool updates = true) {
  const link_view view{static_cast<int>(links.size()), links.data()};
  const detail::link_index<> index(s.stages, view);
  std::vector<std::vector<int>> positions(static_cast<std::size_t>(s.ranks));
  std::vector<const int*> position_of;
  for (int r = 0; r < s.ranks; ++r) {
    std::vector<int>& of = positions[static_cast<std::size_t>(r)];
    of.resize(static_cast<std::size_t>(2 * s.chunks * s.micro_batches));
    detail::find_work(s, work.list[r], work.count[r], of.data());
    position_of.push_back(of.data());
  }
  dynamic_timetable out(s.ranks);
  for (int r = 0; r < s.ranks; ++r) {
    std::vector<action>& list = out.list(r);
    list.resize(static_cast<std::size_t>(lowered_capacity(s, view, r, work.count[r])));
    detail::late_lowerer<> lower(list.data(), s, view, index, work.list[r], work.count[r],
                                 position_of.data());
    list.resize(static_cast<std::size_t>(lower.run(r, updates)));
  }
  return out;
}

// Each send and its receive at the same moment (lower_together.hpp). Work that waits for ever is
// left out, which the contract reports as missing. `pauses[r][i]`: how long, in ops of work, rank r
// does something else before its entry i, such as gathering parameters; null: never.
inline dynamic_timetable lower_together(const shape& s, std::span<const link> links,
                                        const program_view& work, bool updates = true,
                                        const int* const* pauses = nullptr) {
  const link_view view{static_cast<int>(links.size()), links.data()};
  const detail::link_index<> index(s.stages, view);
  dynamic_timetable lists(s.ranks);
  detail::to_lists out{lists};
  detail::together_lowerer<> lowerer(s, view);
  lowerer.run(s, view, index, work, (std::numeric_limits<int>::max)(), out, pauses);
  for (int r = 0; r < s.ranks && updates; ++r) {
    std::vector<action> last(static_cast<std::size_t>(2 * s.chunks));
    last.resize(static_cast<std::size_t>(detail::write_updates(last.data(), s, r)));
    for (const action& a : last) lists.append(r, a);
  }
  return lists;
}

}  // namespace backstitch
