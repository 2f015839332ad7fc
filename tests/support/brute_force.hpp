// An executor that judges programs, written from the rules alone and as plainly as they read: sets,
// maps, and loops until nothing moves. It shares nothing with the library's contract but the
// actions and links that programs are made of, so the two can be held against each other.
//
// What the rules leave open and how it is read here:
// - "before the last work", "before a SEND": what never comes is not earlier either.
// - Members of one group that send on the same link go in list order.
// - An overlapped pair holds what its forward makes and what its backward frees at the same time.
// - Without backward and RELEASE, a micro-batch is over with its F.
#pragma once

#include "support/program_text.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace brute_force {

using backstitch::action;
using backstitch::action_kind;
using backstitch::link;
using backstitch::phase;
using program_text::program;

enum class rule : int {
  foreign_action,
  work_done_twice,
  mixed_backward,
  work_missing,
  backward_before_forward,
  weight_before_input,
  bad_group,
  received_too_late,
  sent_too_early,
  message_missing,
  update_missing,
  update_too_early,
  reduce_missing,
  reduce_too_early,
  release_missing,
  released_too_early,
  too_many_in_flight,
  message_order,
  deadlock,
};

inline const char* name(rule r) {
  static const char* const names[] = {
      "foreign_action",          "work_done_twice",     "mixed_backward",  "work_missing",
      "backward_before_forward", "weight_before_input", "bad_group",       "received_too_late",
      "sent_too_early",          "message_missing",     "update_missing",  "update_too_early",
      "reduce_missing",          "reduce_too_early",    "release_missing", "released_too_early",
      "too_many_in_flight",      "message_order",       "deadlock"};
  return names[static_cast<int>(r)];
}

// What a channel is, where messages have no tags.
enum class channel_order { tagged, rank_pair, directed_pair, direction_kind };

struct channel_model {
  int capacity = 0;  // 0: rendezvous; -1: without bound
  channel_order order = channel_order::tagged;
};
inline constexpr channel_model rendezvous{0, channel_order::tagged};
inline constexpr channel_model buffered_1{1, channel_order::tagged};
inline constexpr channel_model buffered_2{2, channel_order::tagged};
inline constexpr channel_model tagged{-1, channel_order::tagged};
inline constexpr channel_model fifo_per_rank_pair{-1, channel_order::rank_pair};
inline constexpr channel_model fifo_per_directed_pair{-1, channel_order::directed_pair};
inline constexpr channel_model fifo_per_direction_kind{-1, channel_order::direction_kind};

struct verdict {
  std::set<rule> broken;
  int cycle = 0;                       // ranks in the shortest cycle of a deadlock
  std::map<int, std::set<int>> waits;  // of a deadlock: whom each stopped rank waits for
  // Of deadlocks, and of rules on one action: every rule, rank and slot where it is broken. Where
  // an action stands too early, both its slot and the slot of what it should have waited for.
  std::set<std::tuple<rule, int, int>> places;

  bool accepted() const { return broken.empty(); }
  std::string text() const {
    std::string out;
    for (const rule r : broken) out += std::string(out.empty() ? "" : " ") + name(r);
    if (cycle > 0) out += "(" + std::to_string(cycle) + ")";
    return out.empty() ? "accepted" : out;
  }
};

namespace detail {

using item = std::pair<int, int>;     // stage and micro-batch
using message = std::pair<int, int>;  // link and micro-batch
using unit = std::vector<action>;     // what starts together

inline const link& link_of(const program& p, int l) { return p.links[static_cast<std::size_t>(l)]; }
inline int rank_of(const program& p, int stage) {
  return p.rank_of[static_cast<std::size_t>(stage)];
}
inline const std::vector<action>& list_of(const program& p, int rank) {
  return p.list[static_cast<std::size_t>(rank)];
}
inline int model_stage(const program& p, int stage) { return stage % (p.stages / p.pipes); }
inline bool is_local(const program& p, const link& k) {
  return rank_of(p, k.from) == rank_of(p, k.to);
}
inline std::vector<int> range_of(const program& p, int stage) {
  const int count = p.micro_batches / p.pipes;
  const int copy = stage / (p.stages / p.pipes);
  std::vector<int> range;
  for (int m = copy * count; m < (copy + 1) * count; ++m) range.push_back(m);
  return range;
}
inline bool in_range(const program& p, int stage, int micro_batch) {
  for (const int m : range_of(p, stage)) {
    if (m == micro_batch) return true;
  }
  return false;
}
inline bool has_any(const program& p, action_kind kind) {
  for (const std::vector<action>& list : p.list) {
    for (const action& a : list) {
      if (a.kind == kind) return true;
    }
  }
  return false;
}
inline bool is_backward_half(action_kind k) {
  return k == action_kind::backward || k == action_kind::backward_input;
}

// Neighbours with equal group number are one unit.
inline std::vector<unit> units_of(const std::vector<action>& list) {
  std::vector<unit> units;
  for (const action& a : list) {
    if (!units.empty() && a.group >= 0 && units.back().back().group == a.group) {
      units.back().push_back(a);
    } else {
      units.push_back({a});
    }
  }
  return units;
}
inline bool all_messages(const unit& u) {
  for (const action& a : u) {
    if (!backstitch::is_message(a.kind)) return false;
  }
  return true;
}
inline bool is_pair(const unit& u) {
  if (u.size() != 2) return false;
  return (u[0].kind == action_kind::forward && is_backward_half(u[1].kind)) ||
         (u[1].kind == action_kind::forward && is_backward_half(u[0].kind));
}

inline bool fits_link(const program& p, const action& a) {
  if (a.link < 0 || a.link >= static_cast<int>(p.links.size())) return false;
  const link& k = link_of(p, a.link);
  if (is_local(p, k)) return false;
  const bool forward = k.made == phase::forward;
  switch (a.kind) {
    case action_kind::send_forward:
      return forward && a.stage == k.from;
    case action_kind::send_backward:
      return !forward && a.stage == k.from;
    case action_kind::receive_forward:
      return forward && a.stage == k.to;
    case action_kind::receive_backward:
      return !forward && a.stage == k.to;
    default:
      return false;
  }
}

inline bool is_foreign(const program& p, int rank, const action& a) {
  if (a.stage < 0 || a.stage >= p.stages || rank_of(p, a.stage) != rank) return true;
  const bool whole_stage = a.kind == action_kind::reduce || a.kind == action_kind::update;
  if (!whole_stage && !in_range(p, a.stage, a.micro_batch)) return true;
  if (backstitch::is_message(a.kind) && !fits_link(p, a)) return true;
  if (!p.forward_only) return false;
  return a.kind != action_kind::forward && a.kind != action_kind::send_forward &&
         a.kind != action_kind::receive_forward && a.kind != action_kind::release;
}

// What has been done so far, on all ranks or on one.
struct record {
  std::set<item> f, b, i, w, released;
  std::set<message> sent, received;
  std::set<int> updated;
  std::set<std::pair<int, int>> reduced;  // rank and model stage

  bool backward_over(const item& x) const { return b.count(x) > 0 || w.count(x) > 0; }
  bool made(const item& x, phase half) const {
    return half == phase::forward ? f.count(x) > 0 : b.count(x) > 0 || i.count(x) > 0;
  }
};

// All rules on one rank's list.
class rank_judge {
 public:
  rank_judge(const program& p, int rank, record& everywhere, verdict& out)
      : p_(p), rank_(rank), everywhere_(everywhere), out_(out) {}

  void run() {
    std::vector<action> later = list_of(p_, rank_);
    int next = 0;
    for (const unit& u : units_of(list_of(p_, rank_))) {
      slot_ = next;
      next += static_cast<int>(u.size());
      check_group(u);
      if (is_pair(u)) {  // starts together: both need what they need before either has run
        later.erase(later.begin(), later.begin() + 2);
        for (const action& a : u) {
          check(a, later);
          ++slot_;
        }
        for (const action& a : u) perform(a);
        slot_ = next - (u[1].kind == action_kind::forward ? 1 : 2);
        check_memory();
        for (const action& a : u) end_of_life(a);
        continue;
      }
      for (const action& a : u) {
        later.erase(later.begin());
        check(a, later);
        perform(a);
        check_memory();
        end_of_life(a);
        ++slot_;
      }
    }
  }

 private:
  void fault(rule r) {
    out_.broken.insert(r);
    out_.places.insert({r, rank_, slot_});
  }

  // At the n-th of the actions that are still to come.
  void fault_at(rule r, const std::vector<action>& later, std::size_t n) {
    const std::size_t first = list_of(p_, rank_).size() - later.size();
    out_.places.insert({r, rank_, static_cast<int>(first + n)});
  }

  void check_group(const unit& u) {
    if (u[0].group < 0 || all_messages(u) || is_pair(u)) return;
    out_.broken.insert(rule::bad_group);
    for (int i = 0; i < static_cast<int>(u.size()); ++i) {
      out_.places.insert({rule::bad_group, rank_, slot_ + i});
    }
  }

  void check(const action& a, const std::vector<action>& later) {
    if (is_foreign(p_, rank_, a)) {
      fault(rule::foreign_action);
      return;
    }
    const item x{a.stage, a.micro_batch};
    const message t{a.link, a.micro_batch};
    switch (a.kind) {
      case action_kind::forward:
        if (here_.f.count(x) > 0) fault(rule::work_done_twice);
        check_arrivals(x, phase::forward);
        break;
      case action_kind::backward:
        if (here_.b.count(x) > 0) fault(rule::work_done_twice);
        if (here_.i.count(x) > 0 || here_.w.count(x) > 0) fault(rule::mixed_backward);
        if (here_.f.count(x) == 0) fault(rule::backward_before_forward);
        check_arrivals(x, phase::backward);
        break;
      case action_kind::backward_input:
        if (here_.i.count(x) > 0) fault(rule::work_done_twice);
        if (here_.b.count(x) > 0) fault(rule::mixed_backward);
        if (here_.f.count(x) == 0) fault(rule::backward_before_forward);
        check_arrivals(x, phase::backward);
        break;
      case action_kind::backward_weight:
        if (here_.w.count(x) > 0) fault(rule::work_done_twice);
        if (here_.b.count(x) > 0) fault(rule::mixed_backward);
        if (here_.f.count(x) == 0) fault(rule::backward_before_forward);
        if (here_.i.count(x) == 0) fault(rule::weight_before_input);
        break;
      case action_kind::send_forward:
      case action_kind::send_backward:
        if (here_.sent.count(t) > 0) fault(rule::work_done_twice);
        if (!here_.made(x, link_of(p_, a.link).made)) fault(rule::sent_too_early);
        break;
      case action_kind::receive_forward:
      case action_kind::receive_backward:
        if (here_.received.count(t) > 0) fault(rule::work_done_twice);
        break;
      case action_kind::release:
        if (here_.released.count(x) > 0) fault(rule::work_done_twice);
        check_release(x, later);
        break;
      case action_kind::reduce:
        if (here_.reduced.count({rank_, model_stage(p_, a.stage)}) > 0) {
          fault(rule::work_done_twice);
        }
        check_reduce(a, later);
        break;
      case action_kind::update:
        if (here_.updated.count(a.stage) > 0) fault(rule::work_done_twice);
        check_update(a, later);
        break;
    }
  }

  // Everything that a work of the stage in this half of the micro-batch's work needs.
  void check_arrivals(const item& x, phase half) {
    for (std::size_t l = 0; l < p_.links.size(); ++l) {
      const link& k = p_.links[l];
      if (k.to != x.first || k.used != half) continue;
      if (is_local(p_, k)) {
        if (here_.made({k.from, x.second}, k.made)) continue;
        fault(rule::deadlock);  // the rank waits for itself
        out_.cycle = 1;
        out_.waits[rank_] = {rank_};
      } else if (here_.received.count({static_cast<int>(l), x.second}) == 0) {
        fault(rule::received_too_late);
      }
    }
  }

  void check_release(const item& x, const std::vector<action>& later) {
    bool early = here_.f.count(x) == 0;
    if (!p_.forward_only) {
      early = early || (here_.b.count(x) == 0 && (here_.i.count(x) == 0 || here_.w.count(x) == 0));
    }
    for (std::size_t l = 0; l < p_.links.size(); ++l) {
      const link& k = p_.links[l];
      if (k.from != x.first || is_local(p_, k)) continue;
      early = early || here_.sent.count({static_cast<int>(l), x.second}) == 0;
    }
    for (std::size_t n = 0; n < later.size(); ++n) {
      const action& a = later[n];
      if (!backstitch::is_work(a.kind) && !backstitch::is_send(a.kind)) continue;
      if (a.stage != x.first || a.micro_batch != x.second) continue;
      early = true;
      fault_at(rule::released_too_early, later, n);
    }
    if (early) fault(rule::released_too_early);
  }

  // Faults where a backward of the stage comes later, or never.
  void check_backwards_over(rule r, int stage, const std::vector<action>& later) {
    for (const int m : range_of(p_, stage)) {
      if (!here_.backward_over({stage, m})) fault(r);
    }
    for (std::size_t n = 0; n < later.size(); ++n) {
      const action& a = later[n];
      if (!backstitch::is_work(a.kind) || a.kind == action_kind::forward) continue;
      if (a.stage != stage) continue;
      fault(r);
      fault_at(r, later, n);
    }
  }

  void check_reduce(const action& reduce, const std::vector<action>& later) {
    for (int s = 0; s < p_.stages; ++s) {
      if (rank_of(p_, s) != rank_ || model_stage(p_, s) != model_stage(p_, reduce.stage)) continue;
      check_backwards_over(rule::reduce_too_early, s, later);
    }
  }

  void check_update(const action& update, const std::vector<action>& later) {
    check_backwards_over(rule::update_too_early, update.stage, later);
    for (std::size_t n = 0; n < later.size(); ++n) {
      const action& a = later[n];
      if (a.kind != action_kind::reduce || a.stage < 0 || a.stage >= p_.stages) continue;
      if (model_stage(p_, a.stage) != model_stage(p_, update.stage)) continue;
      fault(rule::update_too_early);
      fault_at(rule::update_too_early, later, n);
    }
  }

  void perform(const action& a) {
    if (is_foreign(p_, rank_, a)) return;
    for (record* r : {&here_, &everywhere_}) {
      const item x{a.stage, a.micro_batch};
      if (a.kind == action_kind::forward) r->f.insert(x);
      if (a.kind == action_kind::backward) r->b.insert(x);
      if (a.kind == action_kind::backward_input) r->i.insert(x);
      if (a.kind == action_kind::backward_weight) r->w.insert(x);
      if (a.kind == action_kind::release) r->released.insert(x);
      if (backstitch::is_send(a.kind)) r->sent.insert({a.link, a.micro_batch});
      if (backstitch::is_receive(a.kind)) r->received.insert({a.link, a.micro_batch});
      if (a.kind == action_kind::update) r->updated.insert(a.stage);
      if (a.kind == action_kind::reduce) r->reduced.insert({rank_, model_stage(p_, a.stage)});
    }
    if (a.kind == action_kind::forward) live_.insert({a.stage, a.micro_batch});
  }

  void check_memory() {
    if (p_.caps.empty()) return;
    if (static_cast<int>(live_.size()) > p_.caps[static_cast<std::size_t>(rank_)]) {
      fault(rule::too_many_in_flight);
    }
  }

  void end_of_life(const action& a) {
    bool ends = a.kind == action_kind::backward || a.kind == action_kind::backward_weight;
    if (p_.forward_only) ends = a.kind == action_kind::forward;
    if (releases_) ends = a.kind == action_kind::release;
    if (ends) live_.erase({a.stage, a.micro_batch});
  }

  const program& p_;
  int rank_;
  int slot_ = 0;  // of the action that is looked at
  record& everywhere_;
  verdict& out_;
  record here_;
  std::set<item> live_;
  bool releases_ = has_any(p_, action_kind::release);
};

// What must have been done when all lists are over.
inline void check_end(const program& p, const record& done, verdict& out) {
  const bool updates = has_any(p, action_kind::update);
  const bool releases = has_any(p, action_kind::release);
  const bool reduces = has_any(p, action_kind::reduce) || (p.pipes > 1 && updates);
  for (int s = 0; s < p.stages; ++s) {
    for (const int m : range_of(p, s)) {
      const item x{s, m};
      const bool backward = done.b.count(x) > 0 || (done.i.count(x) > 0 && done.w.count(x) > 0);
      if (done.f.count(x) == 0 || (!p.forward_only && !backward)) {
        out.broken.insert(rule::work_missing);
      }
      if (releases && done.released.count(x) == 0) out.broken.insert(rule::release_missing);
    }
    if (updates && done.updated.count(s) == 0) out.broken.insert(rule::update_missing);
    if (reduces && done.reduced.count({rank_of(p, s), model_stage(p, s)}) == 0) {
      out.broken.insert(rule::reduce_missing);
    }
  }
  for (std::size_t l = 0; l < p.links.size(); ++l) {
    if (is_local(p, p.links[l])) continue;
    for (const int m : range_of(p, p.links[l].from)) {
      const message t{static_cast<int>(l), m};
      if (done.sent.count(t) == 0 || done.received.count(t) == 0) {
        out.broken.insert(rule::message_missing);
      }
    }
  }
}

using wait_graph = std::map<int, std::set<int>>;

// Whether a path of `steps` more edges leads from `at` back to `start` without meeting a rank
// twice.
inline bool closes(const wait_graph& g, int start, int at, int steps, std::set<int> seen) {
  const auto out = g.find(at);
  if (out == g.end()) return false;
  if (steps == 1) return out->second.count(start) > 0;
  for (const int next : out->second) {
    if (seen.count(next) > 0) continue;
    std::set<int> more = seen;
    more.insert(next);
    if (closes(g, start, next, steps - 1, more)) return true;
  }
  return false;
}
inline int shortest_cycle(const wait_graph& g, int ranks) {
  for (int length = 1; length <= ranks; ++length) {
    for (int r = 0; r < ranks; ++r) {
      if (closes(g, r, r, length, {r})) return length;
    }
  }
  throw std::logic_error("ranks are stopped but nobody waits in a circle");
}

// Runs all ranks until nothing moves.
class execution {
 public:
  execution(const program& p, int capacity) : p_(p), capacity_(capacity) {
    for (const std::vector<action>& list : p.list) units_.push_back(units_of(list));
    at_.assign(units_.size(), 0);
    complete_.resize(units_.size());
  }

  // The slots of the actions at which a rank is stopped.
  std::vector<int> slots(int r) const {
    int first = 0;
    for (std::size_t u = 0; u < at(r); ++u) {
      first += static_cast<int>(units_[static_cast<std::size_t>(r)][u].size());
    }
    std::vector<int> found;
    for (std::size_t n = 0; n < current(r).size(); ++n)
      found.push_back(first + static_cast<int>(n));
    return found;
  }

  // Whom the ranks wait for that never get to their end.
  wait_graph run() {
    while (step()) {
    }
    wait_graph waits;
    for (int r = 0; r < p_.ranks(); ++r) {
      if (!over(r)) waits[r] = waits_for(r);
    }
    return waits;
  }

 private:
  std::size_t at(int r) const { return at_[static_cast<std::size_t>(r)]; }
  bool over(int r) const { return at(r) == units_[static_cast<std::size_t>(r)].size(); }
  const unit& current(int r) const { return units_[static_cast<std::size_t>(r)][at(r)]; }
  void go_on(int r) {
    ++at_[static_cast<std::size_t>(r)];
    complete_[static_cast<std::size_t>(r)].clear();
  }
  bool at_messages(int r) const { return !over(r) && all_messages(current(r)); }
  bool at_reduce(int r) const { return !over(r) && current(r)[0].kind == action_kind::reduce; }

  bool step() {
    bool moved = false;
    for (int r = 0; r < p_.ranks(); ++r) {
      if (over(r)) continue;
      if (at_messages(r)) {
        if (capacity_ == 0 ? meet(r) : pass(r)) moved = true;
      } else if (at_reduce(r)) {
        if (reduce(current(r)[0])) moved = true;
      } else {
        go_on(r);
        moved = true;
      }
    }
    return moved;
  }

  // Ranks that own a copy of the model stage.
  std::set<int> owners(int stage) const {
    std::set<int> found;
    for (int s = 0; s < p_.stages; ++s) {
      if (model_stage(p_, s) == model_stage(p_, stage)) found.insert(rank_of(p_, s));
    }
    return found;
  }
  bool stands_at_reduce(int r, int stage) const {
    return at_reduce(r) && model_stage(p_, current(r)[0].stage) == model_stage(p_, stage);
  }
  bool reduce(const action& a) {
    const std::set<int> all = owners(a.stage);
    for (const int r : all) {
      if (!stands_at_reduce(r, a.stage)) return false;
    }
    for (const int r : all) go_on(r);
    return true;
  }

  int peer(const action& a) const {
    const link& k = link_of(p_, a.link);
    return rank_of(p_, backstitch::is_send(a.kind) ? k.to : k.from);
  }

  // Rendezvous.
  bool matched(const action& a) const {
    if (!at_messages(peer(a))) return false;
    for (const action& b : current(peer(a))) {
      if (b.link == a.link && b.micro_batch == a.micro_batch &&
          backstitch::is_send(b.kind) != backstitch::is_send(a.kind)) {
        return true;
      }
    }
    return false;
  }
  bool all_matched(int r) const {
    for (const action& a : current(r)) {
      if (!matched(a)) return false;
    }
    return true;
  }
  std::set<int> component(int r) const {
    std::set<int> in{r};
    for (std::size_t before = 0; before != in.size();) {
      before = in.size();
      for (const int q : std::set<int>(in)) {
        for (const action& a : current(q)) {
          if (matched(a)) in.insert(peer(a));
        }
      }
    }
    return in;
  }
  bool meet(int r) {
    const std::set<int> all = component(r);
    for (const int q : all) {
      if (!all_matched(q)) return false;
    }
    for (const int q : all) go_on(q);
    return true;
  }

  // Buffers.
  int in_buffer(int l) const {
    int n = 0;
    for (const message& t : sent_) {
      if (t.first == l && received_.count(t) == 0) ++n;
    }
    return n;
  }
  bool can_complete(const action& a) const {
    if (!backstitch::is_send(a.kind)) return sent_.count({a.link, a.micro_batch}) > 0;
    return capacity_ < 0 || in_buffer(a.link) < capacity_;
  }
  bool pass(int r) {
    bool moved = false;
    std::set<std::size_t>& done = complete_[static_cast<std::size_t>(r)];
    const unit& u = current(r);
    for (std::size_t n = 0; n < u.size(); ++n) {
      if (done.count(n) > 0 || !can_complete(u[n])) continue;
      (backstitch::is_send(u[n].kind) ? sent_ : received_).insert({u[n].link, u[n].micro_batch});
      done.insert(n);
      moved = true;
    }
    if (done.size() == u.size()) go_on(r);
    return moved;
  }

  std::set<int> waits_for(int r) const {
    std::set<int> whom;
    if (at_reduce(r)) {
      for (const int q : owners(current(r)[0].stage)) {
        if (!stands_at_reduce(q, current(r)[0].stage)) whom.insert(q);
      }
      return whom;
    }
    if (capacity_ != 0) {
      for (std::size_t n = 0; n < current(r).size(); ++n) {
        if (complete_[static_cast<std::size_t>(r)].count(n) == 0) whom.insert(peer(current(r)[n]));
      }
      return whom;
    }
    for (const action& a : current(r)) {
      if (!matched(a)) whom.insert(peer(a));
    }
    if (!whom.empty()) return whom;
    for (const int q : component(r)) {
      if (!all_matched(q)) whom.insert(q);
    }
    return whom;
  }

  const program& p_;
  int capacity_;
  std::vector<std::vector<unit>> units_;
  std::vector<std::size_t> at_;                  // by rank: the unit it stands at
  std::vector<std::set<std::size_t>> complete_;  // by rank: members of that unit that are through
  std::set<message> sent_, received_;
};

inline bool between(const program& p, int l, int from, int to) {
  return rank_of(p, link_of(p, l).from) == from && rank_of(p, link_of(p, l).to) == to;
}

// One end of a directed channel: its messages in list order.
inline std::vector<message> in_order(const program& p, int rank, bool sends, int from, int to,
                                     const std::set<phase>& made) {
  std::vector<message> found;
  for (const action& a : list_of(p, rank)) {
    if (!backstitch::is_message(a.kind) || backstitch::is_send(a.kind) != sends) continue;
    if (!between(p, a.link, from, to) || made.count(link_of(p, a.link).made) == 0) continue;
    found.push_back({a.link, a.micro_batch});
  }
  return found;
}
inline bool same_order(const program& p, int from, int to, const std::set<phase>& made) {
  return in_order(p, from, true, from, to, made) == in_order(p, to, false, from, to, made);
}

// One end of a channel for both directions: its batches, front first, and in each batch the
// messages that go out and those that come in.
struct batch {
  std::vector<message> out, in;
};
inline std::vector<batch> batches(const program& p, int rank, int other) {
  std::vector<batch> found;
  for (const unit& u : units_of(list_of(p, rank))) {
    batch b;
    for (const action& a : u) {
      if (!backstitch::is_message(a.kind)) continue;
      if (between(p, a.link, rank, other)) b.out.push_back({a.link, a.micro_batch});
      if (between(p, a.link, other, rank)) b.in.push_back({a.link, a.micro_batch});
    }
    if (!b.out.empty() || !b.in.empty()) found.push_back(b);
  }
  return found;
}
inline bool match_fronts(std::vector<message>& a, std::vector<message>& b) {
  if (a.empty() || b.empty() || a.front() != b.front()) return false;
  a.erase(a.begin());
  b.erase(b.begin());
  return true;
}
inline bool same_batches(std::vector<batch> a, std::vector<batch> b) {
  while (!a.empty() && !b.empty()) {
    const bool down = match_fronts(a.front().out, b.front().in);
    const bool up = match_fronts(a.front().in, b.front().out);
    if (!down && !up) return false;
    for (std::vector<batch>* end : {&a, &b}) {
      if (end->front().out.empty() && end->front().in.empty()) end->erase(end->begin());
    }
  }
  return a.empty() && b.empty();
}

inline bool mirrored(const program& p, channel_order order) {
  for (int a = 0; a < p.ranks(); ++a) {
    for (int b = 0; b < p.ranks(); ++b) {
      if (a == b) continue;
      switch (order) {
        case channel_order::tagged:
          break;
        case channel_order::rank_pair:
          if (!same_batches(batches(p, a, b), batches(p, b, a))) return false;
          break;
        case channel_order::directed_pair:
          if (!same_order(p, a, b, {phase::forward, phase::backward})) return false;
          break;
        case channel_order::direction_kind:
          if (!same_order(p, a, b, {phase::forward})) return false;
          if (!same_order(p, a, b, {phase::backward})) return false;
          break;
      }
    }
  }
  return true;
}

}  // namespace detail

// The rules on single lists and on what all lists together must hold.
inline verdict judge_lists(const program& p) {
  verdict out;
  detail::record everywhere;
  for (int r = 0; r < p.ranks(); ++r) detail::rank_judge(p, r, everywhere, out).run();
  detail::check_end(p, everywhere, out);
  return out;
}

// The rules on how the ranks work together. Only lists that are in order by themselves can be run.
inline verdict judge_run(const program& p, channel_model model) {
  verdict out;
  if (!detail::mirrored(p, model.order)) out.broken.insert(rule::message_order);
  detail::execution run(p, model.capacity);
  out.waits = run.run();
  if (out.waits.empty()) return out;
  for (const auto& [rank, whom] : out.waits) {
    for (const int slot : run.slots(rank)) out.places.insert({rule::deadlock, rank, slot});
  }
  out.broken.insert(rule::deadlock);
  out.cycle = detail::shortest_cycle(out.waits, p.ranks());
  return out;
}

// Everything.
inline verdict judge(const program& p, channel_model model) {
  const verdict lists = judge_lists(p);
  return lists.accepted() ? judge_run(p, model) : lists;
}

}  // namespace brute_force
