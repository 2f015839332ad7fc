// Runs lists of work on a clock, for tests. It shares no code with the library's own analysis: its
// only dependencies are those of the chain of stages, and it refuses what cannot run.
#pragma once

#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/shape.hpp"
#include "backstitch/schedule/timetable.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace replay {

namespace bs = backstitch;
using bs::action_kind;

// How long work takes. A whole backward takes input + weight, an overlapped pair what its two take.
struct costs {
  long forward = 1;
  long input = 1;
  long weight = 1;
  long message = 0;  // from one rank to another

  constexpr long of(action_kind k) const {
    if (k == action_kind::forward) return forward;
    if (k == action_kind::backward_input) return input;
    return k == action_kind::backward_weight ? weight : input + weight;
  }
};

// What one rank did.
struct rank_figures {
  long busy = 0;
  long start = 0, end = 0;  // of its first and its last action
  int peak = 0;             // most (stage, micro-batch) between F and B or W
  int pending = 0;          // most between I and W
  long span_idle() const { return end - start - busy; }
};

struct figures {
  std::string fault;  // empty: the lists are right
  long makespan = 0;
  std::vector<rank_figures> rank;

  bool ok() const { return fault.empty(); }
  long idle(int r) const { return makespan - rank[static_cast<std::size_t>(r)].busy; }
};

class machine {
 public:
  machine(const bs::shape& s, const costs& c, bool forward_only)
      : sizes_(s), cost_(c), forward_only_(forward_only) {}

  figures run(const bs::program_view& lists) {
    const auto cells = static_cast<std::size_t>(sizes_.stages * sizes_.micro_batches);
    for (auto* end : {&forward_, &input_, &weight_}) end->assign(cells, -1);
    out_ = {};
    out_.rank.resize(static_cast<std::size_t>(lists.ranks));
    next_.assign(out_.rank.size(), 0);
    live_ = late_ = next_;
    if (lists.ranks != sizes_.ranks) return fail("lists of another number of ranks");
    for (bool moved = true; moved;) {
      moved = false;
      for (int r = 0; r < lists.ranks; ++r) {
        while (out_.ok() && step(lists, r)) moved = true;
      }
    }
    for (int r = 0; r < lists.ranks && out_.ok(); ++r) {
      if (next_[at(r)] < lists.count[r]) fail("stuck on rank " + std::to_string(r));
    }
    check_all_done();
    return out_;
  }

 private:
  using times = std::vector<long>;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  long& end(times& t, int stage, int m) { return t[at(stage * sizes_.micro_batches + m)]; }

  figures fail(const std::string& why) {
    if (out_.ok()) out_.fault = why;
    return out_;
  }
  bool refuse(const char* why, const bs::action& a) {
    fail(std::string(why) + ": " + std::to_string(a.stage) + bs::action_name(a.kind) +
         std::to_string(a.micro_batch));
    return false;
  }

  bool is_known(const bs::action& a, int rank) {
    if (!bs::is_work(a.kind)) return refuse("no work", a);
    if (forward_only_ && a.kind != action_kind::forward) return refuse("not forward", a);
    if (a.stage < 0 || a.stage >= sizes_.stages) return refuse("no such stage", a);
    if (sizes_.rank_of_stage[a.stage] != rank) return refuse("stage of another rank", a);
    const int share = sizes_.micro_batches / sizes_.pipes;
    const int copy = a.stage / (sizes_.stages / sizes_.pipes);
    if (a.micro_batch < copy * share || a.micro_batch >= (copy + 1) * share) {
      return refuse("micro-batch of another copy", a);
    }
    const bool twice = end(times_of(a.kind), a.stage, a.micro_batch) >= 0;
    if (twice) return refuse("twice", a);
    return true;
  }
  times& times_of(action_kind k) {
    if (k == action_kind::forward) return forward_;
    return k == action_kind::backward_weight ? weight_ : input_;
  }

  // When what `from` made is there for `a`; -1: not yet.
  long arrival(times& t, int from, const bs::action& a) {
    const long made = end(t, from, a.micro_batch);
    if (made < 0) return -1;
    const bool far = sizes_.rank_of_stage[from] != sizes_.rank_of_stage[a.stage];
    return made + (far ? cost_.message : 0);
  }
  // When all that the action needs is there; -1: not yet.
  long ready(const bs::action& a) {
    const int of_copy = sizes_.stages / sizes_.pipes, place = a.stage % of_copy;
    switch (a.kind) {
      case action_kind::forward:
        return place == 0 ? 0 : arrival(forward_, a.stage - 1, a);
      case action_kind::backward_weight:
        return arrival(input_, a.stage, a);
      default: {
        const long own = arrival(forward_, a.stage, a);
        const long back = place == of_copy - 1 ? own : arrival(input_, a.stage + 1, a);
        return own < 0 || back < 0 ? -1 : std::max(own, back);
      }
    }
  }

  void count(const bs::action& a, int rank) {
    rank_figures& f = out_.rank[at(rank)];
    if (a.kind == action_kind::forward && !forward_only_)
      f.peak = std::max(f.peak, ++live_[at(rank)]);
    if (forward_only_) f.peak = 1;
    if (a.kind == action_kind::backward_input) {
      f.pending = std::max(f.pending, ++late_[at(rank)]);
    }
    if (a.kind == action_kind::backward_weight) --late_[at(rank)];
    if (a.kind == action_kind::backward || a.kind == action_kind::backward_weight) {
      --live_[at(rank)];
    }
  }

  // Runs the rank's next action, or pair, if it can.
  bool step(const bs::program_view& lists, int rank) {
    const int first = next_[at(rank)];
    if (first == lists.count[rank]) return false;
    const bs::action* list = lists.list[rank];
    int last = first + 1;
    while (list[first].group >= 0 && last < lists.count[rank] &&
           list[last].group == list[first].group) {
      ++last;
    }
    const bool pair = last == first + 2 && list[first].kind == action_kind::forward &&
                      list[first + 1].kind == action_kind::backward;
    if (list[first].group >= 0 && !pair) return refuse("no pair", list[first]);

    rank_figures& f = out_.rank[at(rank)];
    long start = f.end, length = 0;
    for (int i = first; i < last; ++i) {
      if (!is_known(list[i], rank)) return false;
      const long t = ready(list[i]);
      if (t < 0) return false;
      start = std::max(start, t);
      length += cost_.of(list[i].kind);
    }
    for (int i = first; i < last; ++i) {
      const bs::action& a = list[i];
      end(times_of(a.kind), a.stage, a.micro_batch) = start + length;
      if (a.kind == action_kind::backward) {
        long& w = end(weight_, a.stage, a.micro_batch);
        if (w >= 0) return refuse("twice", a);
        w = start + length;
      }
      count(a, rank);
    }
    if (first == 0) f.start = start;
    f.end = start + length;
    f.busy += length;
    out_.makespan = std::max(out_.makespan, f.end);
    next_[at(rank)] = last;
    return true;
  }

  void check_all_done() {
    const int share = sizes_.micro_batches / sizes_.pipes;
    const int of_copy = sizes_.stages / sizes_.pipes;
    for (int s = 0; s < sizes_.stages; ++s) {
      for (int m = s / of_copy * share; m < (s / of_copy + 1) * share; ++m) {
        const bool back = forward_only_ || (end(input_, s, m) >= 0 && end(weight_, s, m) >= 0);
        if (end(forward_, s, m) < 0 || !back) {
          fail("not done: stage " + std::to_string(s) + ", micro-batch " + std::to_string(m));
        }
      }
    }
  }

  bs::shape sizes_;
  costs cost_;
  bool forward_only_;
  times forward_, input_, weight_;  // ends, by stage and micro-batch
  std::vector<int> next_, live_, late_;
  figures out_;
};

inline figures run(const bs::shape& s, const bs::program_view& lists, const costs& c = {},
                   bool forward_only = false) {
  return machine(s, c, forward_only).run(lists);
}

}  // namespace replay
