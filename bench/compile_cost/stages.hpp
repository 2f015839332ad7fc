// A model of S stages with 6 ops each, for compile-time and code-size measurements: load or linear,
// activation, their backwards, learning rate, update. Every stage has variables of its own.
#pragma once

#include "backstitch/backstitch.hpp"

#include <cstddef>
#include <utility>

namespace cost {

namespace bs = backstitch;

template <int S>
struct x : bs::activation<float[8]> {};
template <int S>
struct h : bs::activation<float[8]> {};
template <int S>
struct dx : bs::activation_gradient<x<S>> {};
template <int S>
struct w : bs::parameter<float[8]> {};
template <int S>
struct dw : bs::gradient<w<S>> {};
struct lr : bs::step_value<float> {};

template <class To, class From, class F>
void map(To to, From from, F f) {
  for (std::size_t i = 0; i < 8; ++i) to[i] = f(from[i]);
}

struct decay : bs::lr_schedule {
  void operator()(bs::step_index step, bs::out<lr> rate) const {
    *rate = 0.1f / static_cast<float>(step + 1);
  }
};
struct load : bs::forward {
  void operator()(bs::micro_batch m, bs::out<x<0>> to) const {
    for (std::size_t i = 0; i < 8; ++i) to[i] = static_cast<float>(m + i);
  }
};
template <int S>
struct scale : bs::forward {
  void operator()(bs::in<x<S>> from, bs::in<w<S>> weight, bs::out<h<S>> to) const {
    for (std::size_t i = 0; i < 8; ++i) to[i] = from[i] * weight[i];
  }
};
template <int S>
struct relu : bs::forward {
  void operator()(bs::in<h<S>> from, bs::out<x<S + 1>> to) const {
    map(to, from, [](float v) { return v > 0 ? v : 0; });
  }
};
template <int S>
struct relu_back : bs::backward {
  void operator()(bs::in<dx<S + 1>> from, bs::in<x<S + 1>> value, bs::in<w<S>> weight,
                  bs::out<dx<S>> to) const {
    for (std::size_t i = 0; i < 8; ++i) to[i] = value[i] > 0 ? from[i] * weight[i] : 0;
  }
};
template <int S>
struct weight_back : bs::backward {
  void operator()(bs::in<dx<S + 1>> from, bs::in<x<S>> value, bs::accumulate<dw<S>> to) const {
    for (std::size_t i = 0; i < 8; ++i) to[i] += from[i] * value[i];
  }
};
template <int S>
struct sgd : bs::optimize {
  void operator()(bs::in<lr> rate, bs::in<dw<S>> g, bs::inout<w<S>> to) const {
    for (std::size_t i = 0; i < 8; ++i) to[i] -= *rate * g[i];
  }
};
template <int S>
struct loss : bs::forward, bs::loss {
  void operator()(bs::in<x<S>> from, bs::out<dx<S>> to) const {
    map(to, from, [](float v) { return v * 0.5f; });
  }
};

template <int S, int Last>
struct stage_at {
  using type = bs::stage<scale<S>, relu<S>, relu_back<S>, weight_back<S>, decay, sgd<S>>;
};
template <int Last>
  requires(Last > 0)
struct stage_at<0, Last> {
  using type = bs::stage<load, scale<0>, relu<0>, weight_back<0>, decay, sgd<0>>;
};
template <int Last>
  requires(Last > 0)
struct stage_at<Last, Last> {
  using type = bs::stage<scale<Last>, relu<Last>, loss<Last + 1>, relu_back<Last>,
                         weight_back<Last>, decay, sgd<Last>>;
};

template <class Stages>
struct model_with;
template <int... S>
struct model_with<std::integer_sequence<int, S...>> {
  using type = bs::pipeline<typename stage_at<S, int{sizeof...(S)} - 1>::type...>;
};
template <int Stages>
using model = typename model_with<std::make_integer_sequence<int, Stages>>::type;

}  // namespace cost
