// Valid programs of many kinds to start from, lowered by a rule of their own: after each work, each
// of its messages enters both ranks' lists at the same moment.
#pragma once

#include "backstitch/dynamic/schedule.hpp"

#include "support/brute_force.hpp"
#include "support/program_text.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace base_programs {

using backstitch::action;
using backstitch::action_kind;
using backstitch::link;
using program_text::program;

// Sizes, placement and links, no lists yet.
inline program frame(const backstitch::shape& s, bool forward_only) {
  program p;
  p.stages = s.stages;
  p.micro_batches = s.micro_batches;
  p.pipes = s.pipes;
  p.forward_only = forward_only;
  for (int stage = 0; stage < s.stages; ++stage) p.rank_of.push_back(s.rank_of(stage));
  p.links = program_text::chains(s.stages, s.pipes, forward_only);
  p.list.resize(static_cast<std::size_t>(s.ranks));
  return p;
}

inline std::vector<std::vector<action>> work_lists(const backstitch::dynamic_timetable& t) {
  std::vector<std::vector<action>> work;
  for (int r = 0; r < t.ranks(); ++r) work.push_back(t.list(r));
  return work;
}

namespace detail {

using brute_force::detail::is_local;
using brute_force::detail::item;
using brute_force::detail::model_stage;
using brute_force::detail::rank_of;
using brute_force::detail::unit;
using brute_force::detail::units_of;

// The half of a micro-batch's work that an action is; -1: W.
inline int half_of(const action& a) {
  if (a.kind == action_kind::forward) return 0;
  return a.kind == action_kind::backward_weight ? -1 : 1;
}
inline bool leaves_after(const link& k, const action& a) {
  return k.from == a.stage && static_cast<int>(k.made) == half_of(a);
}
inline bool is_last_work(const program& p, const action& a) {
  if (p.forward_only) return a.kind == action_kind::forward;
  return a.kind == action_kind::backward || a.kind == action_kind::backward_weight;
}

}  // namespace detail

// Puts the messages into the work lists of all ranks, and a RELEASE behind the last work and the
// last SEND of each micro-batch if asked. One work, or overlapped pair, per rank and sweep.
inline program lower(program p, const std::vector<std::vector<action>>& work, bool releases) {
  std::vector<std::vector<detail::unit>> units;
  for (const std::vector<action>& list : work) units.push_back(detail::units_of(list));
  std::vector<std::size_t> at(units.size(), 0);
  std::set<std::pair<std::size_t, int>> there;  // link and micro-batch that have been made
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < units.size(); ++r) {
      if (at[r] == units[r].size()) continue;
      const detail::unit& u = units[r][at[r]];
      bool ready = true;
      for (const action& a : u) {
        for (std::size_t l = 0; l < p.links.size(); ++l) {
          const link& k = p.links[l];
          if (k.to != a.stage || static_cast<int>(k.used) != detail::half_of(a)) continue;
          ready = ready && there.count({l, a.micro_batch}) > 0;
        }
      }
      if (!ready) continue;
      ++at[r];
      moved = true;
      for (const action& a : u) p.list[r].push_back(a);
      for (const action& a : u) {
        for (std::size_t l = 0; l < p.links.size(); ++l) {
          const link& k = p.links[l];
          if (!detail::leaves_after(k, a)) continue;
          there.insert({l, a.micro_batch});
          if (detail::is_local(p, k)) continue;
          const int number = static_cast<int>(l);
          p.list[r].push_back({backstitch::send_kind(k.made), k.from, a.micro_batch, number, -1});
          p.list[static_cast<std::size_t>(detail::rank_of(p, k.to))].push_back(
              {backstitch::receive_kind(k.made), k.to, a.micro_batch, number, -1});
        }
      }
      for (const action& a : u) {
        if (!releases || !detail::is_last_work(p, a)) continue;
        p.list[r].push_back({action_kind::release, a.stage, a.micro_batch, -1, -1});
      }
    }
  }
  for (std::size_t r = 0; r < units.size(); ++r) {
    if (at[r] < units[r].size()) throw std::logic_error("a policy's ranks wait for each other");
  }
  return p;
}

// A REDUCE of every model stage, in the same order on all ranks, and an UPDATE of every stage.
inline program with_reduces(program p) {
  for (int m = 0; m < p.stages / p.pipes; ++m) {
    std::set<int> done;
    for (int s = m; s < p.stages; s += p.stages / p.pipes) {
      const int r = detail::rank_of(p, s);
      if (!done.insert(r).second) continue;
      p.list[static_cast<std::size_t>(r)].push_back({action_kind::reduce, s, 0, -1, -1});
    }
  }
  return p;
}
inline program with_updates(program p) {
  for (int s = 0; s < p.stages; ++s) {
    p.list[static_cast<std::size_t>(detail::rank_of(p, s))].push_back(
        {action_kind::update, s, p.micro_batches - 1, -1, -1});
  }
  return p;
}

inline bool runs(const program& p) {
  return brute_force::judge(p, brute_force::rendezvous).accepted();
}

// Each receive right before the first work that needs it, where the program still runs.
inline program with_late_receives(program p) {
  for (std::size_t r = 0; r < p.list.size(); ++r) {
    for (std::size_t i = p.list[r].size(); i-- > 0;) {
      const action receive = p.list[r][i];
      if (!backstitch::is_receive(receive.kind)) continue;
      const link& k = p.links[static_cast<std::size_t>(receive.link)];
      std::size_t user = i + 1;
      while (user < p.list[r].size() &&
             !(p.list[r][user].stage == k.to &&
               p.list[r][user].micro_batch == receive.micro_batch &&
               backstitch::is_work(p.list[r][user].kind) &&
               detail::half_of(p.list[r][user]) == static_cast<int>(k.used))) {
        ++user;
      }
      // Not into the middle of an overlapped pair.
      while (user > i + 1 && user < p.list[r].size() && p.list[r][user].group >= 0 &&
             p.list[r][user - 1].group == p.list[r][user].group) {
        --user;
      }
      program later = p;
      later.list[r].insert(later.list[r].begin() + static_cast<std::ptrdiff_t>(user), receive);
      later.list[r].erase(later.list[r].begin() + static_cast<std::ptrdiff_t>(i));
      if (runs(later)) p = later;
    }
  }
  return p;
}

// Sends and releases some places further down, where the program still runs.
inline program with_late_sends(program p, std::mt19937& random) {
  for (std::size_t r = 0; r < p.list.size(); ++r) {
    for (std::size_t i = p.list[r].size(); i-- > 0;) {
      const action a = p.list[r][i];
      if (!backstitch::is_send(a.kind) && a.kind != action_kind::release) continue;
      const std::size_t to = std::min(i + random() % 6, p.list[r].size() - 1);
      // Not into the middle of an overlapped pair.
      if (to + 1 < p.list[r].size() && p.list[r][to].group >= 0 &&
          p.list[r][to].group == p.list[r][to + 1].group) {
        continue;
      }
      program later = p;
      later.list[r].erase(later.list[r].begin() + static_cast<std::ptrdiff_t>(i));
      later.list[r].insert(later.list[r].begin() + static_cast<std::ptrdiff_t>(to), a);
      if (runs(later)) p = later;
    }
  }
  return p;
}

// Neighbouring messages as groups of up to `most`, where the program still runs.
inline program with_groups(program p, int most) {
  for (std::size_t r = 0; r < p.list.size(); ++r) {
    int number = 1000, size = 1;  // above the numbers of the policies' pairs
    for (std::size_t i = 1; i < p.list[r].size(); ++i) {
      if (!backstitch::is_message(p.list[r][i - 1].kind) ||
          !backstitch::is_message(p.list[r][i].kind) || size == most) {
        ++number;
        size = 1;
        continue;
      }
      program joined = p;
      joined.list[r][i - 1].group = joined.list[r][i].group = number;
      if (runs(joined)) {
        p = joined;
        ++size;
      } else {
        ++number;
        size = 1;
      }
    }
  }
  return p;
}

namespace detail {

// What is left to do of one stage and micro-batch.
struct remaining {
  int stage = 0, micro_batch = 0;
  std::vector<action_kind> todo;
};

}  // namespace detail

// A program as no policy makes it: any placement, ranks without a stage, links past stages and from
// forwards to backwards, B beside I and W, overlapped pairs; the order is drawn from what could
// run.
inline program drawn(std::mt19937& random) {
  const auto below = [&random](int n) {
    return static_cast<int>(random() % static_cast<unsigned>(n));
  };
  program p;
  const int ranks = 1 + below(4), of_one = 1 + below(4);
  p.pipes = 1 + below(2);
  p.stages = of_one * p.pipes;
  p.micro_batches = (1 + below(3)) * p.pipes;
  p.forward_only = below(8) == 0;
  for (int s = 0; s < p.stages; ++s) p.rank_of.push_back(below(ranks));
  p.list.resize(static_cast<std::size_t>(ranks));
  p.links = program_text::chains(p.stages, p.pipes, p.forward_only);
  for (int n = below(4); n > 0 && of_one > 1; --n) {
    const int copy = below(p.pipes) * of_one, high = 1 + below(of_one - 1), low = below(high);
    const int from = copy + low, to = copy + high, what = p.forward_only ? 0 : below(4);
    using backstitch::phase;
    if (what == 0) p.links.push_back({from, to, phase::forward, phase::forward});
    if (what == 1) p.links.push_back({from, to, phase::forward, phase::backward});
    if (what == 2) p.links.push_back({to, from, phase::forward, phase::backward});
    if (what == 3) p.links.push_back({to, from, phase::backward, phase::backward});
  }

  std::vector<detail::remaining> left;
  for (int s = 0; s < p.stages; ++s) {
    for (const int m : brute_force::detail::range_of(p, s)) {
      left.push_back({s, m, {action_kind::forward}});
      if (p.forward_only) continue;
      if (below(2) == 0) {
        left.back().todo.push_back(action_kind::backward);
      } else {
        left.back().todo.push_back(action_kind::backward_input);
        left.back().todo.push_back(action_kind::backward_weight);
      }
    }
  }
  std::set<std::pair<std::size_t, int>> there;  // link and micro-batch that have been made
  std::vector<std::vector<action>> work(p.list.size());
  const auto can_run = [&](const detail::remaining& d, int rank) {
    if (d.todo.empty() || detail::rank_of(p, d.stage) != rank) return false;
    const int half = detail::half_of({d.todo.front(), d.stage, d.micro_batch, -1, -1});
    for (std::size_t l = 0; l < p.links.size(); ++l) {
      if (p.links[l].to != d.stage || static_cast<int>(p.links[l].used) != half) continue;
      if (there.count({l, d.micro_batch}) == 0) return false;
    }
    return true;
  };
  int groups = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (int r = 0; r < ranks; ++r) {
      std::vector<detail::remaining*> ready;
      for (detail::remaining& d : left) {
        if (can_run(d, r)) ready.push_back(&d);
      }
      if (ready.empty()) continue;
      moved = true;
      std::vector<detail::remaining*> chosen{
          ready[static_cast<std::size_t>(below(static_cast<int>(ready.size())))]};
      for (detail::remaining* d : ready) {
        const bool pairs = d->todo.front() != chosen[0]->todo.front() &&
                           d->todo.front() != action_kind::backward_weight &&
                           chosen[0]->todo.front() != action_kind::backward_weight &&
                           (d->todo.front() == action_kind::forward ||
                            chosen[0]->todo.front() == action_kind::forward);
        if (pairs && chosen.size() == 1 && below(2) == 0) chosen.push_back(d);
      }
      const int group = chosen.size() > 1 ? groups++ : -1;
      for (detail::remaining* d : chosen) {
        const action a{d->todo.front(), d->stage, d->micro_batch, -1, group};
        d->todo.erase(d->todo.begin());
        work[static_cast<std::size_t>(r)].push_back(a);
        for (std::size_t l = 0; l < p.links.size(); ++l) {
          if (detail::leaves_after(p.links[l], a)) there.insert({l, a.micro_batch});
        }
      }
    }
  }
  p = lower(p, work, below(2) == 0);
  if (below(2) == 0) p = with_late_receives(p);
  if (below(2) == 0) p = with_late_sends(p, random);
  const int most = 1 + below(4);
  if (most > 1) p = with_groups(p, most);
  if (p.forward_only) return p;
  const bool reduces = below(2) == 0;
  if (reduces) p = with_reduces(p);
  if ((reduces || p.pipes == 1) && below(2) == 0) p = with_updates(p);
  return p;
}

// The least caps under which the lists are accepted.
inline program with_caps(program p) {
  p.caps.assign(p.list.size(), 0);
  for (std::size_t r = 0; r < p.list.size(); ++r) {
    std::vector<int> roomy(p.list.size(), p.stages * p.micro_batches + 1);
    for (int cap = 0;; ++cap) {
      program tried = p;
      tried.caps = roomy;
      tried.caps[r] = cap;
      if (brute_force::judge_lists(tried).broken.count(brute_force::rule::too_many_in_flight)) {
        continue;
      }
      p.caps[r] = cap;
      break;
    }
  }
  return p;
}

}  // namespace base_programs
