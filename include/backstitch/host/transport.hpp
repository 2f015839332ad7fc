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
  using pipeline = typename Plan::pipeline_type;
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
  mailbox& of(std::size_t m) { return box[slot_of<Plan, count>(m)]; }
  void stop() {
    for (mailbox& b : box) b.stop();
  }
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
            std::make_integer_sequence<int, edges_v<typename Plan::pipeline_type>.count>> {
  template <int R>
  rank_store<Plan, R, true>& store() {
    return *this;
  }
  template <int E>
  mailbox& box(std::size_t m) {
    return static_cast<edge_boxes<Plan, E>&>(*this).of(m);
  }

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
      auto& slot = state_.template store<rank_of_stage(edge::row(E).to, Plan::ranks)>()
                       .template value<edge::receiver(E)>(m);
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
    return state_.template store<rank_of_stage(edge::row(E).from, Plan::ranks)>()
        .template value<edge::sender(E)>(m);
  }

  template <int U>
  [[gnu::always_inline]] void released(std::size_t m) {
    observer_.template released<Plan, Rank, U>(m);
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
    using pipeline = typename Plan::pipeline_type;
    constexpr op_row row = edge::model.op[Number];
    state_.fail({Rank, row.stage, row.group, type_name<op_at<pipeline, Number>>(), m, step_},
                std::current_exception());
    throw stop_signal{};
  }

  template <int E, bool Sending>
  [[gnu::cold, gnu::noinline, noreturn]] void stop(std::size_t m, wait_result why) {
    using pipeline = typename Plan::pipeline_type;
    constexpr edge_row row = edge::row(E);
    if (why == wait_result::interrupted) {
      state_.record_wait({Rank, rank_of_stage(Sending ? row.to : row.from, Plan::ranks),
                          type_name<variable_at<pipeline, row.variable>>(), m, Sending});
    }
    throw stop_signal{};
  }
};

}  // namespace backstitch::host::detail
