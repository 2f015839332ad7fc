// Messages between ranks that are threads of one process.
//
// A value is copied (or moved, at its last use) once into the receiver's slot as soon as that slot
// is free; the source is free when `send` returns. A value that its own stage keeps for the
// backward anyway is not copied: the receiver reads it in place, and the mailbox carries the word
// only.
#pragma once

#include "backstitch/host/mailbox.hpp"
#include "backstitch/model/table.hpp"
#include "backstitch/program/failure.hpp"
#include "backstitch/program/plan.hpp"
#include "backstitch/program/store.hpp"
#include "backstitch/program/worker.hpp"

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace backstitch::host::detail {

using namespace backstitch::detail;

// Unwinds a rank that was stopped; never leaves the engine.
struct stop_signal {};

template <class Plan>
struct edge_of {
  using pipeline = typename Plan::model_type;
  static constexpr const auto& model = model_v<pipeline>;
  static constexpr const auto& held = slots_v<Plan, true>;
  static constexpr edge_row row(int e) { return edges_v<pipeline>.edge[e]; }
  static constexpr int sender(int e) { return sender_use<pipeline>(e); }
  static constexpr int receiver(int e) { return receiver_use<pipeline>(e); }
  static constexpr bool lent(int e) { return held.use[receiver(e)].lent; }
  // One mailbox per slot in which the message lives.
  static constexpr int boxes(int e) { return held.use[lent(e) ? sender(e) : receiver(e)].count; }
};

template <class Plan, int E>
struct edge_boxes {
  static constexpr auto count = static_cast<std::size_t>(edge_of<Plan>::boxes(E));
  mailbox box[count];
  // Inlined before g++ folds what is the same for two plans and then warns of the other's bounds.
  [[gnu::always_inline]] mailbox& of(std::size_t m) { return box[slot_of<Plan, count>(m)]; }
  void stop() {
    for (mailbox& b : box) b.stop();
  }
};

// One mailbox per stage of the model and further copy of it, for reductions.
template <class Plan>
struct reduction_boxes {
  static constexpr auto stages = static_cast<std::size_t>(Plan::stages);
  static constexpr auto copies = static_cast<std::size_t>(Plan::pipes);
  mailbox box[stages][copies];
  void stop() {
    for (auto& of_stage : box) {
      for (mailbox& b : of_stage) b.stop();
    }
  }
};
template <class Plan>
  requires(Plan::pipes == 1)
struct reduction_boxes<Plan> {
  void stop() {}
};

template <class Plan, class Ranks, class Edges>
struct parts;
template <class Plan, int... Rs, int... Es>
struct parts<Plan, std::integer_sequence<int, Rs...>, std::integer_sequence<int, Es...>>
    : rank_store<Plan, Rs, true>..., edge_boxes<Plan, Es>... {
  void stop_messages() {
    [[maybe_unused]] const int order[] = {0,
                                          (static_cast<edge_boxes<Plan, Es>&>(*this).stop(), 0)...};
  }
};

// Everything that the ranks share: slots, mailboxes, and the record of a failure.
template <class Plan>
struct shared_state
    : parts<Plan, std::make_integer_sequence<int, Plan::ranks>,
            std::make_integer_sequence<int, edges_v<typename Plan::model_type>.count>> {
  template <int R>
  [[gnu::always_inline]] rank_store<Plan, R, true>& store() {
    return *this;
  }
  template <int E>
  [[gnu::always_inline]] mailbox& box(std::size_t m) {
    return static_cast<edge_boxes<Plan, E>&>(*this).of(m);
  }

  reduction_boxes<Plan> reductions;
  int spins = 0;
  std::atomic<bool> stopping{false};

  // The first failure wins; every rank stops.
  void fail(const op_position& where, std::exception_ptr cause) {
    {
      const std::lock_guard lock(mutex);
      if (!failure) {
        failure = std::move(cause);
        position = where;
      }
    }
    stop();
  }
  void stop() {
    stopping.store(true, std::memory_order_release);
    this->stop_messages();
    reductions.stop();
  }
  void record_wait(const awaited_message& w) {
    const std::lock_guard lock(mutex);
    awaited.push_back(w);
  }

  std::mutex mutex;
  std::exception_ptr failure;
  op_position position;
  std::vector<awaited_message> awaited;
};

template <class Plan, int Rank, class Observer>
class transport {
 public:
  static constexpr bool shared_memory = true;

  transport(shared_state<Plan>& state, Observer& observer) : state_(state), observer_(observer) {}

  void set_step(std::size_t step) { step_ = step; }

  template <int E>
  void begin_receive(std::size_t) {}

  template <int E>
  [[gnu::always_inline]] void wait(std::size_t m) {
    mailbox& box = state_.template box<E>(m);
    const wait_result arrived = box.wait_full(state_.spins);
    if (arrived != wait_result::ready) stop<E, false>(m, arrived);
    if constexpr (edge::lent(E)) box.clear();
    observer_.template received<Plan, Rank, E>(m);
  }

  template <int E, bool Last, class T>
  [[gnu::always_inline]] void send(std::size_t m, T& value) {
    mailbox& box = state_.template box<E>(m);
    if constexpr (!edge::lent(E)) {
      const wait_result free = box.wait_empty(state_.spins);
      if (free != wait_result::ready) stop<E, true>(m, free);
      auto& slot =
          state_.template store<Plan::rank_of(edge::row(E).to)>().template value<edge::receiver(E)>(
              m);
      hand_over<E, Last>(m, value, slot);
    }
    observer_.template sent<Plan, Rank, E>(m);
    box.fill();
  }

  template <int E>
  [[gnu::always_inline]] void release(std::size_t m) {
    state_.template box<E>(m).clear();
  }

  template <int E>
  [[gnu::always_inline]] const auto& lent(std::size_t m) {
    return state_.template store<Plan::rank_of(edge::row(E).from)>()
        .template value<edge::sender(E)>(m);
  }

  template <int U>
  [[gnu::always_inline]] void released(std::size_t m) {
    observer_.template released<Plan, Rank, U>(m);
  }

  // The rank of the first copy adds up, in the order of the copies, while the others wait; they
  // take the sum, while it waits.
  template <int ModelStage>
  void reduce() {
    constexpr int first = Plan::rank_of(ModelStage);
    if constexpr (Plan::pipes == 1) {
      return;
    } else if constexpr (Rank == first) {
      for_other_copies<ModelStage>(
          [this](mailbox& b) { must_be_ready(b.wait_full(state_.spins)); });
      sum_copies(sums_of<ModelStage>{});
      for_other_copies<ModelStage>([](mailbox& b) { b.clear(); });
      for_other_copies<ModelStage>(
          [this](mailbox& b) { must_be_ready(b.wait_full(state_.spins)); });
      for_other_copies<ModelStage>([](mailbox& b) { b.clear(); });
    } else {
      for_own_copies<ModelStage>([](mailbox& b) { b.fill(); });
      for_own_copies<ModelStage>([this](mailbox& b) { must_be_ready(b.wait_empty(state_.spins)); });
      take_sums(sums_of<ModelStage>{});
      for_own_copies<ModelStage>([](mailbox& b) { b.fill(); });
      for_own_copies<ModelStage>([this](mailbox& b) { must_be_ready(b.wait_empty(state_.spins)); });
    }
  }

  // The try block costs no instruction while nothing is thrown.
  template <int Number, class F>
  [[gnu::always_inline]] void call(std::size_t m, F&& f) {
    observer_.template before_op<Plan, Rank, Number>(m);
    try {
      f();
    } catch (...) {
      threw<Number>(m);
    }
    observer_.template after_op<Plan, Rank, Number>(m);
  }

 private:
  using edge = edge_of<Plan>;

  shared_state<Plan>& state_;
  Observer& observer_;
  std::size_t step_ = 0;

  // -- reductions

  static constexpr int model_uses = edge::model.uses / Plan::pipes;
  // The uses, in the first copy, that sum over the step.
  template <int ModelStage>
  struct summed {
    static constexpr bool test(int u) {
      return u < model_uses && edge::model.use[u].stage == ModelStage &&
             edge::model.use[u].accumulates != 0 && edge::held.use[u].how == holding::lasting;
    }
  };
  template <int ModelStage>
  using sums_of = selected<summed<ModelStage>, edge::model.uses>;

  // The copies of a stage on other ranks than that of the first one.
  template <int ModelStage, class F>
  void for_other_copies(F f) {
    for (int c = 1; c < Plan::pipes; ++c) {
      if (Plan::rank_of(c * Plan::stages + ModelStage) != Rank) f(box_of(ModelStage, c));
    }
  }
  // The copies of a stage on this rank.
  template <int ModelStage, class F>
  void for_own_copies(F f) {
    for (int c = 1; c < Plan::pipes; ++c) {
      if (Plan::rank_of(c * Plan::stages + ModelStage) == Rank) f(box_of(ModelStage, c));
    }
  }
  mailbox& box_of(int model_stage, int copy) {
    return state_.reductions
        .box[static_cast<std::size_t>(model_stage)][static_cast<std::size_t>(copy)];
  }
  static void must_be_ready(wait_result r) {
    if (r != wait_result::ready) throw stop_signal{};
  }

  template <int U>
  auto& value_of_use() {
    return state_.template store<Plan::rank_of(edge::model.use[U].stage)>().template value<U>(0);
  }
  template <int... Us>
  void sum_copies(std::integer_sequence<int, Us...>) {
    [[maybe_unused]] const int order[] = {
        0, (sum_copies_of<Us>(std::make_integer_sequence<int, Plan::pipes - 1>{}), 0)...};
  }
  template <int U, int... Cs>
  void sum_copies_of(std::integer_sequence<int, Cs...>) {
    [[maybe_unused]] const int order[] = {
        0, (add_value(value_of_use<U + (Cs + 1) * model_uses>(), value_of_use<U>()), 0)...};
    // Copies on this very rank.
    [[maybe_unused]] const int own[] = {0, (take_sum<U, Cs + 1>(), 0)...};
  }
  template <int... Us>
  void take_sums(std::integer_sequence<int, Us...>) {
    [[maybe_unused]] const int order[] = {
        0, (take_sums_of<Us>(std::make_integer_sequence<int, Plan::pipes - 1>{}), 0)...};
  }
  template <int U, int... Cs>
  void take_sums_of(std::integer_sequence<int, Cs...>) {
    [[maybe_unused]] const int order[] = {0, (take_sum<U, Cs + 1>(), 0)...};
  }
  template <int U, int Copy>
  void take_sum() {
    constexpr int u = U + Copy * model_uses;
    if constexpr (Plan::rank_of(edge::model.use[u].stage) == Rank) {
      copy_value(value_of_use<U>(), value_of_use<u>());
    }
  }

  // A user's copy or move may throw as well: that is a failure of the op that made the value.
  template <int E, bool Last, class T>
  [[gnu::always_inline]] void hand_over(std::size_t m, T& value, T& slot) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      copy_value(value, slot);
    } else {
      try {
        if constexpr (Last) {
          move_value(value, slot);
        } else {
          copy_value(value, slot);
        }
      } catch (...) {
        threw<writer_of(edge::row(E).variable)>(m);
      }
    }
  }

  static constexpr int writer_of(int v) {
    for (int a = 0; a < edge::model.accesses; ++a) {
      const access_row& row = edge::model.access[a];
      if (row.variable == v && row.access != access_kind::in) return row.op;
    }
    return 0;
  }

  template <int Number>
  [[gnu::cold, gnu::noinline, noreturn]] void threw(std::size_t m) {
    using pipeline = typename Plan::model_type;
    constexpr op_row row = edge::model.op[Number];
    state_.fail({Rank, row.stage, row.group, type_name<op_at<pipeline, Number>>(), m, step_},
                std::current_exception());
    throw stop_signal{};
  }

  template <int E, bool Sending>
  [[gnu::cold, gnu::noinline, noreturn]] void stop(std::size_t m, wait_result why) {
    using pipeline = typename Plan::model_type;
    constexpr edge_row row = edge::row(E);
    if (why == wait_result::interrupted) {
      state_.record_wait({Rank, Plan::rank_of(Sending ? row.to : row.from),
                          type_name<variable_at<pipeline, row.variable>>(), m, Sending});
    }
    throw stop_signal{};
  }
};

}  // namespace backstitch::host::detail
