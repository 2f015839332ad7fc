// Small changes to a program, of named kinds, drawn from a seeded generator. std::mt19937 gives the
// same numbers everywhere; the standard's distributions do not, so they are not used.
#pragma once

#include "support/program_text.hpp"

#include <cstddef>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace mutation {

using backstitch::action;
using backstitch::action_kind;
using program_text::program;

enum class kind : int {
  drop,                 // an action is missing
  duplicate,            // an action stands twice
  swap_neighbours,      // two neighbours change places
  swap_distant,         // two actions of one rank change places
  move_earlier,         // an action goes a few places up
  move_later,           // ... or down
  retarget,             // another stage
  other_rank,           // an action goes into another rank's list
  other_micro_batch,    // another one of the program
  micro_batch_outside,  // one that the program does not have
  other_link,           // a message on another link
  join_groups,          // neighbouring groups, or messages, start together
  split_group,          // a group falls in two
  join_works,           // two neighbouring works become a pair
  group_anything,       // an action gets the group of its neighbour, or one of its own
  change_work,          // F, B, I, W for each other
  change_message,       // send and receive, forward and backward for each other
  change_any_kind,      // any kind for any other
  reduce_earlier,       // of these three, what they must wait for may now come later
  update_earlier,
  release_earlier,
  reorder_sends,     // two sends of one link change places, and so do their receives
  reorder_receives,  // two receives of one link change places
  swap_reduces,      // two reductions of one rank change places
  less_memory,       // one rank may hold one micro-batch less
  misplace,          // a stage stands on another rank than its lists say
  two,               // any two of these
  count
};

inline const char* name(kind k) {
  static const char* const names[] = {"drop",
                                      "duplicate",
                                      "swap_neighbours",
                                      "swap_distant",
                                      "move_earlier",
                                      "move_later",
                                      "retarget",
                                      "other_rank",
                                      "other_micro_batch",
                                      "micro_batch_outside",
                                      "other_link",
                                      "join_groups",
                                      "split_group",
                                      "join_works",
                                      "group_anything",
                                      "change_work",
                                      "change_message",
                                      "change_any_kind",
                                      "reduce_earlier",
                                      "update_earlier",
                                      "release_earlier",
                                      "reorder_sends",
                                      "reorder_receives",
                                      "swap_reduces",
                                      "less_memory",
                                      "misplace",
                                      "two"};
  return names[static_cast<int>(k)];
}

namespace detail {

using list = std::vector<action>;

struct place {
  std::size_t rank = 0, slot = 0;
};

inline std::size_t below(std::mt19937& random, std::size_t n) {
  return static_cast<std::size_t>(random()) % n;
}

// The places whose action satisfies `wanted`.
template <class Wanted>
std::vector<place> places(const program& p, Wanted wanted) {
  std::vector<place> found;
  for (std::size_t r = 0; r < p.list.size(); ++r) {
    for (std::size_t i = 0; i < p.list[r].size(); ++i) {
      if (wanted(p.list[r], i)) found.push_back({r, i});
    }
  }
  return found;
}
template <class Wanted>
std::optional<place> pick(const program& p, std::mt19937& random, Wanted wanted) {
  const std::vector<place> found = places(p, wanted);
  if (found.empty()) return std::nullopt;
  return found[below(random, found.size())];
}

inline void move(list& l, std::size_t from, std::size_t to) {
  const action a = l[from];
  l.erase(l.begin() + static_cast<std::ptrdiff_t>(from));
  l.insert(l.begin() + static_cast<std::ptrdiff_t>(to), a);
}

inline int fresh_group(const list& l) {
  int n = 0;
  for (const action& a : l) n = a.group >= n ? a.group + 1 : n;
  return n;
}
// The group number of an action that is to have neighbours.
inline int group_number(list& l, std::size_t i) {
  if (l[i].group < 0) l[i].group = fresh_group(l);
  return l[i].group;
}

inline bool any(const list&, std::size_t) { return true; }
inline bool has_next(const list& l, std::size_t i) { return i + 1 < l.size(); }
inline bool message(const list& l, std::size_t i) { return backstitch::is_message(l[i].kind); }
inline bool work(const list& l, std::size_t i) { return backstitch::is_work(l[i].kind); }
inline bool two_messages(const list& l, std::size_t i) {
  return has_next(l, i) && message(l, i) && message(l, i + 1) &&
         (l[i].group < 0 || l[i].group != l[i + 1].group);
}
inline bool in_group(const list& l, std::size_t i) {
  return has_next(l, i) && l[i].group >= 0 && l[i].group == l[i + 1].group;
}
inline bool two_works(const list& l, std::size_t i) {
  return has_next(l, i) && work(l, i) && work(l, i + 1) && l[i].group < 0 && l[i + 1].group < 0;
}

// Another number below n; where there is none, the same.
inline int other(int now, int n, std::mt19937& random) {
  if (n < 2) return now;
  const int next = static_cast<int>(below(random, static_cast<std::size_t>(n - 1)));
  return next >= now ? next + 1 : next;
}

inline bool move_kind_up(program& p, std::mt19937& random, action_kind k) {
  const auto at = pick(p, random, [k](const list& l, std::size_t i) { return l[i].kind == k; });
  if (!at || at->slot == 0) return false;
  const std::size_t nearest = at->slot < 8 ? at->slot : 8;
  move(p.list[at->rank], at->slot, at->slot - 1 - below(random, nearest));
  return true;
}

// Two messages of one link and one end, by their places.
inline std::optional<std::pair<place, place>> two_of_a_link(const program& p, std::mt19937& random,
                                                            bool sends) {
  const auto at = pick(p, random, [sends](const list& l, std::size_t i) {
    return sends ? backstitch::is_send(l[i].kind) : backstitch::is_receive(l[i].kind);
  });
  if (!at) return std::nullopt;
  const action a = p.list[at->rank][at->slot];
  for (std::size_t i = at->slot + 1; i < p.list[at->rank].size(); ++i) {
    const action& b = p.list[at->rank][i];
    if (b.kind == a.kind && b.link == a.link) return std::pair{*at, place{at->rank, i}};
  }
  return std::nullopt;
}
inline void swap_micro_batches(program& p, place a, place b) {
  std::swap(p.list[a.rank][a.slot].micro_batch, p.list[b.rank][b.slot].micro_batch);
}

inline action_kind work_kind(std::size_t n) {
  constexpr action_kind kinds[] = {action_kind::forward, action_kind::backward,
                                   action_kind::backward_input, action_kind::backward_weight};
  return kinds[n];
}
inline action_kind message_kind(std::size_t n) {
  constexpr action_kind kinds[] = {action_kind::send_forward, action_kind::receive_forward,
                                   action_kind::send_backward, action_kind::receive_backward};
  return kinds[n];
}

// One try; false: nothing here to change.
inline bool apply(program& p, kind k, std::mt19937& random) {
  if (places(p, any).empty()) return false;
  switch (k) {
    case kind::drop: {
      const auto at = pick(p, random, any);
      list& l = p.list[at->rank];
      l.erase(l.begin() + static_cast<std::ptrdiff_t>(at->slot));
      return true;
    }
    case kind::duplicate: {
      const auto at = pick(p, random, any);
      list& l = p.list[at->rank];
      const action a = l[at->slot];
      l.insert(l.begin() + static_cast<std::ptrdiff_t>(below(random, l.size() + 1)), a);
      return true;
    }
    case kind::swap_neighbours: {
      const auto at = pick(p, random, has_next);
      if (!at) return false;
      std::swap(p.list[at->rank][at->slot], p.list[at->rank][at->slot + 1]);
      return true;
    }
    case kind::swap_distant: {
      const auto at = pick(p, random, any);
      list& l = p.list[at->rank];
      std::swap(l[at->slot], l[below(random, l.size())]);
      return true;
    }
    case kind::move_earlier: {
      const auto at = pick(p, random, [](const list&, std::size_t i) { return i > 0; });
      if (!at) return false;
      const std::size_t room = at->slot < 12 ? at->slot : 12;
      move(p.list[at->rank], at->slot, at->slot - 1 - below(random, room));
      return true;
    }
    case kind::move_later: {
      const auto at = pick(p, random, has_next);
      if (!at) return false;
      list& l = p.list[at->rank];
      const std::size_t room = l.size() - 1 - at->slot < 12 ? l.size() - 1 - at->slot : 12;
      move(l, at->slot, at->slot + 1 + below(random, room));
      return true;
    }
    case kind::retarget: {
      const auto at = pick(p, random, any);
      action& a = p.list[at->rank][at->slot];
      // One below and one above what there is, too.
      a.stage = other(a.stage + 1, p.stages + 2, random) - 1;
      return true;
    }
    case kind::other_rank: {
      if (p.list.size() < 2) return false;
      const auto at = pick(p, random, any);
      list& from = p.list[at->rank];
      list& to = p.list[static_cast<std::size_t>(
          other(static_cast<int>(at->rank), static_cast<int>(p.list.size()), random))];
      const action a = from[at->slot];
      from.erase(from.begin() + static_cast<std::ptrdiff_t>(at->slot));
      to.insert(to.begin() + static_cast<std::ptrdiff_t>(below(random, to.size() + 1)), a);
      return true;
    }
    case kind::other_micro_batch: {
      const auto at = pick(p, random, any);
      action& a = p.list[at->rank][at->slot];
      a.micro_batch = other(a.micro_batch, p.micro_batches, random);
      return true;
    }
    case kind::micro_batch_outside: {
      const auto at = pick(p, random, any);
      p.list[at->rank][at->slot].micro_batch =
          below(random, 2) == 0 ? -1 - static_cast<int>(below(random, 3))
                                : p.micro_batches + static_cast<int>(below(random, 3));
      return true;
    }
    case kind::other_link: {
      const auto at = pick(p, random, message);
      if (!at) return false;
      action& a = p.list[at->rank][at->slot];
      // One below and one above what there is, too.
      a.link = other(a.link + 1, static_cast<int>(p.links.size()) + 2, random) - 1;
      return true;
    }
    case kind::join_groups: {
      const auto at = pick(p, random, two_messages);
      if (!at) return false;
      list& l = p.list[at->rank];
      const int number = group_number(l, at->slot), old = l[at->slot + 1].group;
      l[at->slot + 1].group = number;
      for (std::size_t i = at->slot + 2; i < l.size() && old >= 0 && l[i].group == old; ++i) {
        l[i].group = number;
      }
      return true;
    }
    case kind::split_group: {
      const auto at = pick(p, random, in_group);
      if (!at) return false;
      list& l = p.list[at->rank];
      const int old = l[at->slot].group, number = fresh_group(l);
      const bool alone = backstitch::is_work(l[at->slot].kind) && below(random, 2) == 0;
      if (alone) l[at->slot].group = -1;
      for (std::size_t i = at->slot + 1; i < l.size() && l[i].group == old; ++i) {
        l[i].group = alone ? -1 : number;
      }
      return true;
    }
    case kind::join_works: {
      const auto at = pick(p, random, two_works);
      if (!at) return false;
      list& l = p.list[at->rank];
      l[at->slot + 1].group = group_number(l, at->slot);
      return true;
    }
    case kind::group_anything: {
      const auto at = pick(p, random, has_next);
      if (!at) return false;
      list& l = p.list[at->rank];
      if (below(random, 4) == 0) {
        l[at->slot].group = fresh_group(l);
      } else {
        l[at->slot + 1].group = group_number(l, at->slot);
      }
      return true;
    }
    case kind::change_work: {
      const auto at = pick(p, random, work);
      if (!at) return false;
      p.list[at->rank][at->slot].kind = work_kind(below(random, 4));
      return true;
    }
    case kind::change_message: {
      const auto at = pick(p, random, message);
      if (!at) return false;
      p.list[at->rank][at->slot].kind = message_kind(below(random, 4));
      return true;
    }
    case kind::change_any_kind: {
      const auto at = pick(p, random, any);
      p.list[at->rank][at->slot].kind = static_cast<action_kind>(
          below(random, static_cast<std::size_t>(action_kind::update) + 1));
      return true;
    }
    case kind::reduce_earlier:
      return move_kind_up(p, random, action_kind::reduce);
    case kind::update_earlier:
      return move_kind_up(p, random, action_kind::update);
    case kind::release_earlier:
      return move_kind_up(p, random, action_kind::release);
    case kind::reorder_receives: {
      const auto both = two_of_a_link(p, random, false);
      if (!both) return false;
      swap_micro_batches(p, both->first, both->second);
      return true;
    }
    case kind::reorder_sends: {
      const auto both = two_of_a_link(p, random, true);
      if (!both) return false;
      const action a = p.list[both->first.rank][both->first.slot];
      const action b = p.list[both->second.rank][both->second.slot];
      swap_micro_batches(p, both->first, both->second);
      for (list& l : p.list) {
        for (action& c : l) {
          if (!backstitch::is_receive(c.kind) || c.link != a.link) continue;
          if (c.micro_batch == a.micro_batch) {
            c.micro_batch = b.micro_batch;
          } else if (c.micro_batch == b.micro_batch) {
            c.micro_batch = a.micro_batch;
          }
        }
      }
      return true;
    }
    case kind::swap_reduces: {
      const auto reduce = [](const list& l, std::size_t i) {
        return l[i].kind == action_kind::reduce;
      };
      const auto at = pick(p, random, reduce);
      if (!at) return false;
      list& l = p.list[at->rank];
      for (std::size_t i = at->slot + 1; i < l.size(); ++i) {
        if (!reduce(l, i)) continue;
        std::swap(l[at->slot], l[i]);
        return true;
      }
      return false;
    }
    case kind::less_memory: {
      if (p.caps.empty()) return false;
      int& cap = p.caps[below(random, p.caps.size())];
      if (cap == 0) return false;
      --cap;
      return true;
    }
    case kind::misplace: {
      int& rank = p.rank_of[below(random, p.rank_of.size())];
      rank = other(rank, p.ranks(), random);
      return true;
    }
    case kind::two: {
      const std::size_t simple = static_cast<std::size_t>(kind::two);
      const bool first = apply(p, static_cast<kind>(below(random, simple)), random);
      const bool second = apply(p, static_cast<kind>(below(random, simple)), random);
      return first && second;
    }
    case kind::count:
      break;
  }
  return false;
}

}  // namespace detail

// The program with one change of that kind; none where it has nothing to change.
inline std::optional<program> mutate(const program& p, kind k, std::mt19937& random) {
  for (int tries = 0; tries < 20; ++tries) {
    program changed = p;
    if (detail::apply(changed, k, random) && !(changed == p)) return changed;
  }
  return std::nullopt;
}

}  // namespace mutation
