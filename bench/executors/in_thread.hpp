// All ranks of a plan on one thread, without waiting: what the loops cost, with no hand-over
// between threads.
//
// The ranks' lists are merged into one order in which every message has been sent before it is
// needed. The library's worker then runs that list as if it were one rank's: its loops, slots and
// op calls are the ones that an engine gets. A message is one copy into the receiver's slot.
#pragma once

#include "backstitch/program/plan.hpp"
#include "backstitch/program/store.hpp"
#include "backstitch/program/worker.hpp"
#include "backstitch/schedule/timetable.hpp"

#include <cstddef>
#include <memory>

namespace executors {

namespace detail = backstitch::detail;

template <int Capacity>
struct merged_list {
  int count = 0;
  backstitch::action at[Capacity] = {};
};

// Runs the ranks in turn, last rank first, one forward or backward each; an action waits for its
// messages, a send for its receive.
template <class Plan>
struct merger {
  static constexpr int ranks = Plan::ranks;
  static constexpr int micro_batches = Plan::micro_batches;
  static constexpr int links = detail::joined_v<typename Plan::pipeline_type>.table.count;
  static constexpr int count_all() {
    int n = 0;
    for (int r = 0; r < ranks; ++r) n += Plan::lowered().count[r];
    return n;
  }

  merged_list<count_all()> out;
  int next[ranks] = {};
  bool receiving[links][micro_batches] = {};
  bool arrived[links][micro_batches] = {};

  static constexpr const backstitch::action& at(int rank, int i) {
    return Plan::lowered().list[rank][i];
  }
  // Without its group, whose number means something on its own rank only.
  constexpr void emit(const backstitch::action& a) {
    out.at[out.count] = a;
    out.at[out.count++].group = -1;
  }

  // The actions up to `end` are messages of one group: receives start with the group.
  constexpr bool run_group(int rank, int end) {
    for (int i = next[rank]; i < end; ++i) {
      const backstitch::action& a = at(rank, i);
      if (!is_receive(a.kind) || receiving[a.link][a.micro_batch]) continue;
      receiving[a.link][a.micro_batch] = true;
      emit(a);
    }
    bool done = true;
    for (int i = next[rank]; i < end; ++i) {
      const backstitch::action& a = at(rank, i);
      if (!is_send(a.kind) || arrived[a.link][a.micro_batch]) continue;
      if (!receiving[a.link][a.micro_batch]) {
        done = false;
        continue;
      }
      arrived[a.link][a.micro_batch] = true;
      emit(a);
    }
    return done;
  }

  // What the op's own messages say: all that were received for this micro-batch are here.
  constexpr bool ready(int rank, int i) const {
    for (int k = i - 1; k >= 0 && is_receive(at(rank, k).kind); --k) {
      if (!arrived[at(rank, k).link][at(rank, k).micro_batch]) return false;
    }
    return true;
  }

  // Up to and including one forward, backward or update. Whether anything ran.
  constexpr bool run(int rank) {
    bool progress = false;
    while (next[rank] < Plan::lowered().count[rank]) {
      const int i = next[rank];
      const backstitch::action& a = at(rank, i);
      if (is_compute(a.kind)) {
        if (!ready(rank, i)) return progress;
        emit(a);
        ++next[rank];
        return true;
      }
      int end = i + 1;
      while (end < Plan::lowered().count[rank] && at(rank, end).group == a.group) ++end;
      const int before = out.count;
      const bool done = run_group(rank, end);
      progress = progress || out.count != before;
      if (!done) return progress;
      next[rank] = end;
    }
    return progress;
  }

  constexpr void run_all() {
    for (bool progress = true; progress;) {
      progress = false;
      for (int r = ranks - 1; r >= 0; --r) progress = run(r) || progress;
    }
  }
};

template <class Plan>
constexpr auto merge_ranks() {
  merger<Plan> m;
  m.run_all();
  return m.out;
}
template <class Plan>
inline constexpr auto merged_v = merge_ranks<Plan>();

// Looks like a plan of one rank to the worker, whose list holds every stage; the planner of slots
// finds each stage's actions in it.
template <class Plan>
struct merged_plan {
  using pipeline_type = typename Plan::pipeline_type;
  using memory_type = typename Plan::memory_type;
  static constexpr int stages = Plan::stages;
  static constexpr int ranks = 1;
  static constexpr int micro_batches = Plan::micro_batches;
  static constexpr auto table = [] {
    backstitch::timetable_view<Plan::ranks> t;
    for (int r = 0; r < Plan::ranks; ++r) {
      t.count[r] = merged_v<Plan>.count;
      t.list[r] = merged_v<Plan>.at;
    }
    return t;
  }();
  static constexpr const auto& lowered() { return table; }
};

// Owns the slots, so that a send finds the receiver's without reading a pointer.
template <class Plan>
struct in_thread_transport {
  static constexpr bool shared_memory = false;
  using pipeline = typename Plan::pipeline_type;

  detail::rank_store<merged_plan<Plan>, 0, shared_memory> store;

  template <int E>
  void begin_receive(std::size_t) {}
  template <int E>
  void wait(std::size_t) {}
  template <int E, bool Last, class T>
  [[gnu::always_inline]] void send(std::size_t m, T& value) {
    store.template value<detail::receiver_use<pipeline>(E)>(m) = value;
  }
  template <int E>
  void release(std::size_t) {}
  template <int U>
  void released(std::size_t) {}
  template <int I, class F>
  [[gnu::always_inline]] void call(std::size_t, F&& f) {
    f();
  }
};

// Every action is in the merged list, and the learning-rate ops, which run with the forward of
// micro-batch 0, stand outside the loops.
template <class Plan>
constexpr bool merged_well() {
  constexpr auto& list = merged_v<Plan>;
  constexpr auto& loops = detail::segments_v<merged_plan<Plan>, 0>;
  if (list.count != merger<Plan>::count_all()) return false;
  for (int s = 0; s < loops.count; ++s) {
    const detail::segment& loop = loops.at[s];
    for (int i = loop.first; loop.repeats > 1 && i < loop.first + loop.period * loop.repeats; ++i) {
      if (list.at[i].kind == backstitch::action_kind::forward && list.at[i].micro_batch == 0) {
        return false;
      }
    }
  }
  return true;
}

template <class Plan>
class in_thread_engine {
 public:
  void run(std::size_t steps) {
    static_assert(merged_well<Plan>());
    const detail::worker<merged_plan<Plan>, 0, transport> worker(all_->store, *all_);
    for (std::size_t i = 0; i < steps; ++i) worker.run_step(steps_++);
  }

  // V of a stage that has it; of a micro-batch where it is kept for each.
  template <class V, int Stage>
  const auto& get(std::size_t m = 0) const {
    using pipeline = typename Plan::pipeline_type;
    constexpr int v = detail::variable_number<pipeline, V>;
    return all_->store.template value<detail::model_v<pipeline>.find_use(v, Stage)>(m);
  }

 private:
  using transport = in_thread_transport<Plan>;

  std::unique_ptr<transport> all_ = std::make_unique<transport>();
  std::size_t steps_ = 0;
};

}  // namespace executors
