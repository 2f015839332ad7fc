// The measured pipeline without Backstitch: the variables of each stage as plain memory, and what a
// forward, a backward and an update of a stage do to them, op by op.
//
// Every stage owns its memory, as a rank does, and a message is one copy from the sender's variable
// to the receiver's. A stage holds S-s micro-batches in flight, so it has as many slots.
#pragma once

#include "arithmetic.hpp"
#include "executor.hpp"

#include <cstddef>
#include <type_traits>

namespace executors {

template <int S>
inline constexpr std::size_t slots = stage_count - S;

// In memory, since an op leaves its result to ops that it does not know.
struct stage_memory {
  vec x[stage_count];
  vec y[stage_count];
  vec h, r, next_x;
  vec d, dy, dx;
  vec w, b, dw, db;
  float rate;
};

template <int M>
struct pipeline_memory {
  stage_memory stage[stage_count] = {};
  float loss[M] = {};

  pipeline_memory() {
    for (stage_memory& s : stage) s.w = initial_weight;
  }

  values read() const {
    values v;
    for (int s = 0; s < stage_count; ++s) {
      v.w[s] = stage[s].w;
      v.b[s] = stage[s].b;
    }
    v.loss.assign(loss, loss + M);
    return v;
  }
};

// The ops, each on the variables of a stage.
template <int M, int S>
struct stage_ops {
  using memory = pipeline_memory<M>;
  static constexpr bool is_first = S == 0;
  static constexpr bool is_last = S == stage_count - 1;

  [[gnu::always_inline]] static stage_memory& at(memory& all) { return all.stage[S]; }
  [[gnu::always_inline]] static std::size_t slot(std::size_t m) { return m % slots<S>; }

  [[gnu::always_inline]] static void load_x(memory& all, std::size_t m) {
    load(m, at(all).x[slot(m)]);
  }
  [[gnu::always_inline]] static void scale(memory& all, std::size_t m) {
    stage_memory& s = at(all);
    multiply(s.x[slot(m)], s.w, s.h);
  }
  [[gnu::always_inline]] static void shift(memory& all, std::size_t m) {
    stage_memory& s = at(all);
    add(s.h, s.b, s.y[slot(m)]);
  }
  [[gnu::always_inline]] static void clip_y(memory& all, std::size_t m) {
    stage_memory& s = at(all);
    clip(s.y[slot(m)], s.r);
  }
  [[gnu::always_inline]] static void halve_r(memory& all, std::size_t) {
    halve(at(all).r, at(all).next_x);
  }
  [[gnu::always_inline]] static void send_x(memory& all, std::size_t m) {
    all.stage[S + 1].x[m % slots<S + 1>] = at(all).next_x;
  }
  [[gnu::always_inline]] static void measure_loss(memory& all, std::size_t m) {
    executors::measure_loss(at(all).r, at(all).d, all.loss[m]);
  }

  [[gnu::always_inline]] static void clip_back(memory& all, std::size_t m) {
    stage_memory& s = at(all);
    executors::clip_back(s.d, s.y[slot(m)], s.dy);
  }
  [[gnu::always_inline]] static void shift_back(memory& all, std::size_t) {
    accumulate(at(all).dy, at(all).db);
  }
  [[gnu::always_inline]] static void weight_back(memory& all, std::size_t m) {
    stage_memory& s = at(all);
    accumulate_product(s.dy, s.x[slot(m)], s.dw);
  }
  [[gnu::always_inline]] static void scale_back(memory& all, std::size_t) {
    multiply(at(all).dy, at(all).w, at(all).dx);
  }
  [[gnu::always_inline]] static void send_dx(memory& all, std::size_t) {
    all.stage[S - 1].d = at(all).dx;
  }

  [[gnu::always_inline]] static void zero_gradients(memory& all) { at(all).dw = at(all).db = {}; }
  [[gnu::always_inline]] static void decay(memory& all, std::size_t step) {
    executors::decay(step, at(all).rate);
  }
  [[gnu::always_inline]] static void update(memory& all) {
    stage_memory& s = at(all);
    descend(s.rate, s.dw, s.w);
    descend(s.rate, s.db, s.b);
  }
};

// A list of ops, called in a row or, by executors that dispatch at run time, one by one.
template <int M>
using op_pointer = void (*)(pipeline_memory<M>&, std::size_t);
template <auto... Ops>
struct op_list {
  template <class Memory>
  [[gnu::always_inline]] static void run(Memory& all, std::size_t m) {
    (Ops(all, m), ...);
  }
};

template <int M, int S>
constexpr auto forward_ops() {
  using s = stage_ops<M, S>;
  if constexpr (s::is_first) {
    return op_list<s::load_x, s::scale, s::shift, s::clip_y, s::halve_r, s::send_x>{};
  } else if constexpr (s::is_last) {
    return op_list<s::scale, s::shift, s::clip_y, s::measure_loss>{};
  } else {
    return op_list<s::scale, s::shift, s::clip_y, s::halve_r, s::send_x>{};
  }
}
template <int M, int S>
constexpr auto backward_ops() {
  using s = stage_ops<M, S>;
  if constexpr (s::is_first) {
    return op_list<s::clip_back, s::shift_back, s::weight_back>{};
  } else {
    return op_list<s::clip_back, s::shift_back, s::weight_back, s::scale_back, s::send_dx>{};
  }
}

template <int S, int M>
[[gnu::always_inline]] inline void forward(pipeline_memory<M>& all, std::size_t m) {
  forward_ops<M, S>().run(all, m);
}
template <int S, int M>
[[gnu::always_inline]] inline void backward(pipeline_memory<M>& all, std::size_t m) {
  backward_ops<M, S>().run(all, m);
}

// Before the first forward and after the last backward of a step, on every stage.
template <int M>
void begin_step(pipeline_memory<M>& all, std::size_t step) {
  const auto begin = [&](auto ops) { ops.zero_gradients(all), ops.decay(all, step); };
  begin(stage_ops<M, 0>{}), begin(stage_ops<M, 1>{}), begin(stage_ops<M, 2>{});
  begin(stage_ops<M, 3>{});
}
template <int M>
void end_step(pipeline_memory<M>& all) {
  const auto end = [&](auto ops) { ops.update(all); };
  end(stage_ops<M, 0>{}), end(stage_ops<M, 1>{}), end(stage_ops<M, 2>{}), end(stage_ops<M, 3>{});
}

// An executor on this memory; Schedule::run(memory) does what is between begin and end of a step.
template <int M, class Schedule>
class plain_executor : public executor {
 public:
  void run(std::size_t steps) override {
    for (std::size_t i = 0; i < steps; ++i) {
      begin_step(memory_, step_++);
      schedule_.run(memory_);
      end_step(memory_);
    }
  }
  values read() const override { return memory_.read(); }

 private:
  pipeline_memory<M> memory_;
  Schedule schedule_;
  std::size_t step_ = 0;
};

}  // namespace executors
