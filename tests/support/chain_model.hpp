// A model of S stages for run-time tests, and the same arithmetic as a plain sequential loop that
// shares no code with the library.
//
// Forward: load -> (scale -> shift)^S -> loss, with the labels on a skip edge from stage 0 to the
// last one. Backward and SGD with momentum per stage; each stage has a learning rate of its own.
// Sums are in float, so a changed order of accumulation changes bits.
#pragma once

#include "backstitch/backstitch.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace chain {

namespace bs = backstitch;

inline constexpr std::size_t width = 5;  // odd on purpose
using row = float[width];

// What the ops recorded: the micro-batches that they were called with, in order.
struct recorder {
  std::vector<std::size_t> micro_batches;
  std::vector<std::size_t> steps;
  void note(std::size_t m, std::size_t step) {
    micro_batches.push_back(m);
    steps.push_back(step);
  }
};

template <int L>
struct x : bs::activation<row> {};
template <int L>
struct h : bs::activation<row> {};
struct label : bs::activation<float> {};
struct loss_value : bs::activation<float> {};
template <int L>
struct dx : bs::activation_gradient<x<L>> {};
template <int L>
struct dh : bs::activation_gradient<h<L>> {};
template <int L>
struct w : bs::parameter<row> {
  static void init(row& v) {
    for (std::size_t i = 0; i < width; ++i) v[i] = 0.9f + 0.01f * static_cast<float>(i + L);
  }
};
template <int L>
struct dw : bs::gradient<w<L>> {};
template <int L>
struct momentum : bs::state<w<L>> {};
struct lr : bs::step_value<float> {};
struct loss_sum : bs::step_value<float> {};

// The arithmetic, shared by the ops and the sequential loop.
inline float input_at(std::size_t step, std::size_t m, std::size_t i) {
  return 0.1f * static_cast<float>((step * 31 + m * 7 + i * 3) % 17) - 0.7f;
}
inline float label_at(std::size_t step, std::size_t m) {
  return 0.3f * static_cast<float>((step * 5 + m) % 11);
}
inline float rate_at(std::size_t step) { return 0.01f / static_cast<float>(step + 1); }

struct load : bs::forward, recorder {
  void operator()(bs::step_index step, bs::micro_batch m, bs::out<x<0>> to, bs::out<label> wanted) {
    note(m, step);
    for (std::size_t i = 0; i < width; ++i) to[i] = input_at(step, m, i);
    *wanted = label_at(step, m);
  }
};
template <int L>
struct scale : bs::forward, recorder {
  void operator()(bs::step_index step, bs::micro_batch m, bs::in<x<L>> from, bs::in<w<L>> weight,
                  bs::out<h<L>> to) {
    note(m, step);
    for (std::size_t i = 0; i < width; ++i) to[i] = from[i] * weight[i];
  }
};
template <int L>
struct shift : bs::forward {
  void operator()(bs::in<h<L>> from, bs::out<x<L + 1>> to) const {
    for (std::size_t i = 0; i < width; ++i) to[i] = from[i] + 0.125f * from[(i + 1) % width];
  }
};
template <int L>
struct loss : bs::forward, bs::loss {
  void operator()(bs::in<x<L>> from, bs::in<label> wanted, bs::out<loss_value> to,
                  bs::accumulate<loss_sum> sum) const {
    *to = 0;
    for (std::size_t i = 0; i < width; ++i) {
      *to += (from[i] - *wanted) * (from[i] - *wanted);
    }
    *sum += *to;
  }
};
template <int L>
struct loss_back : bs::backward, bs::loss {
  void operator()(bs::in<x<L>> from, bs::in<label> wanted, bs::micro_batch_count count,
                  bs::out<dx<L>> to) const {
    for (std::size_t i = 0; i < width; ++i) {
      to[i] = 2.0f * (from[i] - *wanted) / static_cast<float>(count);
    }
  }
};
// Adds twice into dh: the fan-out of a residual connection.
template <int L>
struct shift_back : bs::backward {
  void operator()(bs::in<dx<L + 1>> from, bs::accumulate<dh<L>> to) const {
    for (std::size_t i = 0; i < width; ++i) to[i] += from[i];
  }
};
template <int L>
struct shift_back_neighbour : bs::backward {
  void operator()(bs::in<dx<L + 1>> from, bs::accumulate<dh<L>> to) const {
    for (std::size_t i = 0; i < width; ++i) to[(i + 1) % width] += 0.125f * from[i];
  }
};
template <int L>
struct scale_back : bs::backward, recorder {
  void operator()(bs::step_index step, bs::micro_batch m, bs::in<dh<L>> from, bs::in<x<L>> value,
                  bs::accumulate<dw<L>> to) {
    note(m, step);
    for (std::size_t i = 0; i < width; ++i) to[i] += from[i] * value[i];
  }
};
template <int L>
struct input_back : bs::backward {
  void operator()(bs::in<dh<L>> from, bs::in<w<L>> weight, bs::out<dx<L>> to) const {
    for (std::size_t i = 0; i < width; ++i) to[i] = from[i] * weight[i];
  }
};
struct decay : bs::lr_schedule, recorder {
  void operator()(bs::step_index step, bs::micro_batch m, bs::out<lr> rate) {
    note(m, step);
    *rate = rate_at(step);
  }
};
template <int L>
struct sgd : bs::optimize, recorder {
  void operator()(bs::step_index step, bs::micro_batch m, bs::in<lr> rate, bs::in<dw<L>> g,
                  bs::inout<momentum<L>> v, bs::inout<w<L>> to) {
    note(m, step);
    for (std::size_t i = 0; i < width; ++i) {
      v[i] = 0.5f * v[i] + g[i];
      to[i] -= *rate * v[i];
    }
  }
};

template <int S>
struct first_stage {
  using type = bs::stage<load, scale<0>, shift<0>, shift_back<0>, shift_back_neighbour<0>,
                         scale_back<0>, decay, sgd<0>>;
};
template <>
struct first_stage<1> {
  using type = bs::stage<load, scale<0>, shift<0>, loss<1>, loss_back<1>, shift_back<0>,
                         shift_back_neighbour<0>, scale_back<0>, decay, sgd<0>>;
};
template <int S, int L>
struct stage_at {
  using type = bs::stage<scale<L>, shift<L>, shift_back<L>, shift_back_neighbour<L>, scale_back<L>,
                         input_back<L>, decay, sgd<L>>;
};
template <int S>
struct stage_at<S, 0> : first_stage<S> {};
template <int S>
  requires(S > 1)
struct stage_at<S, S - 1> {
  using type = bs::stage<scale<S - 1>, shift<S - 1>, loss<S>, loss_back<S>, shift_back<S - 1>,
                         shift_back_neighbour<S - 1>, scale_back<S - 1>, input_back<S - 1>, decay,
                         sgd<S - 1>>;
};

template <class Indices>
struct model_with;
template <int... L>
struct model_with<std::integer_sequence<int, L...>> {
  using type = bs::pipeline<typename stage_at<int{sizeof...(L)}, L>::type...>;
};
template <int S>
using model = typename model_with<std::make_integer_sequence<int, S>>::type;

// The same training as plain loops over plain arrays.
struct sequential {
  std::size_t stages, micro_batches, steps = 0;
  std::vector<std::array<float, width>> w, dw, v;
  std::vector<float> losses;
  float loss_sum = 0;

  sequential(int stage_count, int micro_batch_count)
      : stages(static_cast<std::size_t>(stage_count)),
        micro_batches(static_cast<std::size_t>(micro_batch_count)),
        w(stages),
        dw(stages),
        v(stages),
        losses(micro_batches) {
    for (std::size_t s = 0; s < stages; ++s) {
      for (std::size_t i = 0; i < width; ++i) w[s][i] = 0.9f + 0.01f * static_cast<float>(i + s);
    }
  }

  void step() {
    for (auto& g : dw) g.fill(0);
    loss_sum = 0;
    for (std::size_t m = 0; m < micro_batches; ++m) {
      std::vector<std::array<float, width>> x(stages + 1), h(stages);
      for (std::size_t i = 0; i < width; ++i) x[0][i] = input_at(steps, m, i);
      const float wanted = label_at(steps, m);
      for (std::size_t s = 0; s < stages; ++s) {
        for (std::size_t i = 0; i < width; ++i) h[s][i] = x[s][i] * w[s][i];
        for (std::size_t i = 0; i < width; ++i) {
          x[s + 1][i] = h[s][i] + 0.125f * h[s][(i + 1) % width];
        }
      }
      const auto& y = x[stages];
      losses[m] = 0;
      for (float value : y) losses[m] += (value - wanted) * (value - wanted);
      loss_sum += losses[m];

      std::array<float, width> d{};
      for (std::size_t i = 0; i < width; ++i) {
        d[i] = 2.0f * (y[i] - wanted) / static_cast<float>(micro_batches);
      }
      for (std::size_t s = stages; s-- > 0;) {
        std::array<float, width> g{};
        for (std::size_t i = 0; i < width; ++i) g[i] += d[i];
        for (std::size_t i = 0; i < width; ++i) g[(i + 1) % width] += 0.125f * d[i];
        for (std::size_t i = 0; i < width; ++i) dw[s][i] += g[i] * x[s][i];
        for (std::size_t i = 0; i < width; ++i) d[i] = g[i] * w[s][i];
      }
    }
    for (std::size_t s = 0; s < stages; ++s) {
      for (std::size_t i = 0; i < width; ++i) {
        v[s][i] = 0.5f * v[s][i] + dw[s][i];
        w[s][i] -= rate_at(steps) * v[s][i];
      }
    }
    ++steps;
  }
};

}  // namespace chain
