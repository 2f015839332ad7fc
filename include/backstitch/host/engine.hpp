// host::engine<Plan>: runs a plan on threads of this process, one per rank.
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/host/copies.hpp"
#include "backstitch/host/crew.hpp"
#include "backstitch/host/observer.hpp"
#include "backstitch/host/transport.hpp"
#include "backstitch/program/failure.hpp"
#include "backstitch/program/plan.hpp"
#include "backstitch/program/worker.hpp"

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace backstitch::host {

// How an engine runs.
struct options {
  // The longest that one step may take, more than zero. When it passes, ranks that wait for
  // messages are stopped and step() throws deadline_exceeded; an op in progress is waited for.
  std::optional<std::chrono::nanoseconds> deadline = {};
};

// All slots are allocated when the engine is made; a step allocates nothing. A plan of one rank
// runs on the caller's thread. Not for use from two threads at once.
//
// An exception from an op stops every rank; step() then throws op_failure with the op's exception
// nested. After that the engine is dead: step() throws engine_dead, values can still be read, and
// it can be destroyed.
template <class Plan, class Observer = no_observer>
class engine {
 public:
  // The plan that it runs.
  using plan_type = Plan;

  // Allocates every slot, constructs the ops, initialises what lasts, and starts a thread per rank.
  // Throws engine_error for a deadline of nothing, and what constructors and `init` throw.
  explicit engine(options o = {}, Observer observer = {})
      : options_(o), observer_(std::move(observer)), state_(std::make_unique<state>()) {
    if (options_.deadline && options_.deadline->count() <= 0) {
      throw engine_error("backstitch: a deadline of " + std::to_string(options_.deadline->count()) +
                         " ns has passed before the step begins; leave it out for none");
    }
    // Spinning helps only when the awaited rank runs at the same time.
    state_->spins = Plan::ranks <= static_cast<int>(std::thread::hardware_concurrency()) ? 2000 : 0;
    if constexpr (Plan::ranks > 1) {
      crew_.emplace(Plan::ranks, [this](int rank) { run_rank_number(rank, all_ranks{}); });
    }
  }
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  // One step: every micro-batch forward and backward, then one update per stage.
  void step() { run(1); }

  // `steps` steps. Ranks run on from step to step without meeting; with a deadline, step by step.
  void run(std::size_t steps) {
    if (!death_.empty()) throw engine_dead(death_);
    if (options_.deadline) {
      for (std::size_t i = 0; i < steps; ++i) run_job(1);
    } else if (steps > 0) {
      run_job(steps);
    }
  }

  // Steps that every rank has completed. After a failure some ranks may be further, by as much as
  // the schedule lets them run ahead.
  std::size_t steps() const { return steps_; }

  // The value of a parameter, gradient, optimizer state, buffer or step value, between steps.
  template <class V>
  auto& get() {
    using found = only_use<V>;
    static_assert(sizeof(error::require<typename found::verdict>) != 0);
    constexpr int u = found::number;
    if constexpr (u >= 0) {
      return store_of_use<u>().template value<u>(0);
    } else {
      return dummy<V>();
    }
  }

  // Of an activation that is kept: the value of a micro-batch. Of a step value: a stage's own.
  // Throws out_of_plan for a number that the plan does not have.
  template <class V>
  auto& get(std::size_t index) {
    constexpr int v = backstitch::detail::variable_number<pipeline, V>;
    if constexpr (v < 0) {
      static_assert(sizeof(error::require<error::variable_not_in_plan<V>>) != 0);
      return dummy<V>();
    } else if constexpr (is_per_micro_batch(V::kind)) {
      constexpr int p = model.producer(v);
      constexpr bool kept = backstitch::detail::slots_v<Plan, true>.use[p].kept;
      using verdict = std::conditional_t<kept, error::accepted, error::not_kept<V>>;
      static_assert(sizeof(error::require<verdict>) != 0);
      check_index(index, std::size_t{Plan::micro_batches}, "micro-batch", type_name<V>());
      return store_of_use<p>().template value<p>(kept ? index : 0);
    } else {
      return find_in_stage<V>(index, std::make_index_sequence<std::size_t{Plan::stages}>{});
    }
  }

  // The op object: the only one of its type, or the one of a stage.
  template <class Op>
  Op& op() {
    using found = only_stage<Op>;
    static_assert(sizeof(error::require<typename found::verdict>) != 0);
    constexpr int stage = found::number;
    if constexpr (stage >= 0) {
      return op<Op, std::size_t{stage}>();
    } else {
      return dummy_op<Op>();
    }
  }
  // The op object of a stage.
  template <class Op, std::size_t Stage>
  Op& op() {
    constexpr int i = op_in_stage<Op, Stage>();
    using verdict = std::conditional_t<(i >= 0), error::accepted, error::op_not_in_plan<Op>>;
    static_assert(sizeof(error::require<verdict>) != 0);
    if constexpr (i >= 0) {
      return state_->template store<Plan::rank_of(int{Stage})>().template op<i>();
    } else {
      return dummy_op<Op>();
    }
  }

  // The observer; between steps, or as far as its hooks allow.
  Observer& observer() { return observer_; }

 private:
  using pipeline = typename Plan::pipeline_type;
  using state = detail::shared_state<Plan>;
  using all_ranks = std::make_integer_sequence<int, Plan::ranks>;
  // Numbers of the first copy are those of the model.
  static constexpr const auto& model = backstitch::detail::model_v<pipeline>;
  static constexpr const auto& whole_model = backstitch::detail::model_v<typename Plan::model_type>;

  // Steps of the job that a rank has completed; on a cache line of its own.
  struct alignas(64) step_count {
    std::size_t value = 0;
  };

  options options_;
  Observer observer_;
  std::unique_ptr<state> state_;
  std::size_t steps_ = 0;
  std::size_t job_steps_ = 0;
  step_count completed_[Plan::ranks];
  std::string death_;                 // the first failure; empty: alive
  std::optional<detail::crew> crew_;  // last: its threads use everything above

  // -- running

  template <int... Rs>
  void run_rank_number(int rank, std::integer_sequence<int, Rs...>) {
    [[maybe_unused]] const int order[] = {(rank == Rs ? (run_rank<Rs>(), 0) : 0)...};
  }

  template <int R>
  void run_rank() {
    detail::transport<Plan, R, Observer> transport(*state_, observer_);
    backstitch::detail::worker<Plan, R, detail::transport<Plan, R, Observer>> worker(
        state_->template store<R>(), transport);
    std::size_t& i = completed_[R].value;
    try {
      for (i = 0; i < job_steps_; ++i) {
        if (state_->stopping.load(std::memory_order_acquire)) return;
        transport.set_step(steps_ + i);
        worker.run_step(steps_ + i);
      }
    } catch (const detail::stop_signal&) {
    } catch (...) {
      // From outside an op: a value that could not be reset, or the observer.
      state_->fail({R, R, op_group::forward, "(between ops)", 0, steps_ + i},
                   std::current_exception());
    }
  }

  void run_job(std::size_t steps) {
    job_steps_ = steps;
    if constexpr (Plan::pipes > 1) detail::start_copies_alike(*state_);
    bool late = false;
    if constexpr (Plan::ranks == 1) {
      const auto end = deadline();
      run_rank<0>();
      late = end && crew_clock::now() > *end;
    } else {
      crew_->start();
      late = !crew_->wait(deadline());
      if (late) {
        state_->stop();
        crew_->wait();
      }
    }
    const std::size_t begun = steps_;
    for (const step_count& c : completed_) steps = c.value < steps ? c.value : steps;
    steps_ += steps;
    if (state_->failure) throw_failure();
    if (late) throw_deadline(begun);
  }

  using crew_clock = detail::crew::clock;

  std::optional<crew_clock::time_point> deadline() const {
    if (!options_.deadline) return {};
    const auto now = crew_clock::now();
    const auto span = std::chrono::duration_cast<crew_clock::duration>(*options_.deadline);
    if (span > (crew_clock::time_point::max)() - now) return {};
    return now + span;
  }

  [[noreturn]] void throw_failure() {
    try {
      std::rethrow_exception(state_->failure);
    } catch (const std::exception& e) {
      fail_with(op_failure(state_->position, e.what()));
    } catch (...) {
      fail_with(op_failure(state_->position, "an exception that is no std::exception"));
    }
  }
  [[noreturn]] void throw_deadline(std::size_t step) {
    const deadline_exceeded late(step, state_->awaited);
    death_ = late.what();
    throw deadline_exceeded(late);
  }
  template <class Error>
  [[noreturn]] void fail_with(const Error& error) {
    death_ = error.what();
    std::throw_with_nested(error);
  }

  // -- look-up, at compile time

  // Each look-up is a verdict and a number, -1 if refused; the caller reports, so that it does so
  // once.

  // The one use of a value that lasts.
  template <class V>
  static constexpr int uses_of() {
    constexpr int v = backstitch::detail::variable_number<pipeline, V>;
    if constexpr (v < 0) {
      return 0;
    } else {
      return model.use[model.variable[v].first_use].next < 0 ? 1 : 2;
    }
  }
  template <class V>
  static constexpr int first_use_of() {
    constexpr int v = backstitch::detail::variable_number<pipeline, V>;
    if constexpr (v < 0 || is_per_micro_batch(V::kind)) {
      return -1;
    } else {
      return model.variable[v].first_use;
    }
  }
  template <class V>
  struct only_use {
    static constexpr int uses = uses_of<V>();
    using verdict = std::conditional_t<
        uses == 0, error::variable_not_in_plan<V>,
        std::conditional_t<is_per_micro_batch(V::kind), error::needs_micro_batch<V>,
                           std::conditional_t<uses == 1, error::accepted, error::stage_needed<V>>>>;
    static constexpr int number = uses == 1 ? first_use_of<V>() : -1;
  };

  template <class Op, std::size_t Stage>
  static constexpr int op_in_stage() {
    if constexpr (Stage < std::size_t{Plan::stages}) {
      return backstitch::detail::find_op<pipeline, Op, static_cast<int>(Stage)>();
    } else {
      return -1;
    }
  }
  // The last stage that has the op, and how many have it.
  template <class Op, std::size_t... Ss>
  static constexpr auto stages_with(std::index_sequence<Ss...>) {
    const int ops[] = {op_in_stage<Op, Ss>()...};
    std::pair found{-1, 0};
    for (int s = 0; s < Plan::stages; ++s) {
      if (ops[s] < 0) continue;
      found.first = s;
      ++found.second;
    }
    return found;
  }
  template <class Op>
  struct only_stage {
    static constexpr auto found =
        stages_with<Op>(std::make_index_sequence<static_cast<std::size_t>(Plan::stages)>{});
    using verdict = std::conditional_t<
        found.second == 1, error::accepted,
        std::conditional_t<found.second == 0, error::op_not_in_plan<Op>, error::stage_needed<Op>>>;
    static constexpr int number = found.second == 1 ? found.first : -1;
  };

  template <int U>
  auto& store_of_use() {
    return state_->template store<Plan::rank_of(whole_model.use[U].stage)>();
  }
  template <class V, std::size_t... Ss>
  auto& find_in_stage(std::size_t stage, std::index_sequence<Ss...>) {
    value_t<V>* found = nullptr;
    [[maybe_unused]] const int order[] = {
        (stage == Ss ? (found = value_in_stage<V, static_cast<int>(Ss)>(), 0) : 0)...};
    if (found == nullptr) {
      throw out_of_plan("backstitch: stage " + std::to_string(stage) + " holds no '" +
                        std::string(type_name<V>()) + "'");
    }
    return *found;
  }

  template <class V, int Stage>
  value_t<V>* value_in_stage() {
    constexpr int u = model.find_use(backstitch::detail::variable_number<pipeline, V>, Stage);
    if constexpr (u >= 0) {
      return &store_of_use<u>().template value<u>(0);
    } else {
      return nullptr;
    }
  }

  static void check_index(std::size_t index, std::size_t count, const char* what,
                          std::string_view name) {
    if (index < count) return;
    throw out_of_plan("backstitch: " + std::string(what) + " " + std::to_string(index) + " of '" +
                      std::string(name) + "' does not exist; the last one is " +
                      std::to_string(count - 1));
  }

  // Reached only after a compile error has been reported.
  template <class V>
  value_t<V>& dummy();
  template <class Op>
  Op& dummy_op();
};

// @cond refused
// The engine of a refused plan: one error, and members that cause no second one.
template <class Plan, class Observer>
  requires backstitch::detail::refused_plan<Plan>
class engine<Plan, Observer> {
  using checked =
      std::bool_constant<sizeof(error::require<backstitch::detail::plan_verdict<Plan>>) != 0>;

 public:
  explicit engine(options = {}, Observer = {}) {}
  void step();
  void run(std::size_t);
  std::size_t steps() const;
  template <class V>
  value_t<V>& get();
  template <class V>
  value_t<V>& get(std::size_t);
  template <class Op>
  Op& op();
  template <class Op, std::size_t Stage>
  Op& op();
  Observer& observer();
};
// @endcond

}  // namespace backstitch::host
