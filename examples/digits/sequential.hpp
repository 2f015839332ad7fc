// The same ops in a plain loop on one thread, as you would write it without a pipeline.
//
// It shares no line with the engine, so main can compare the two bit by bit. It does the testing,
// too: with parameters read from an engine, the forward ops are called by hand.
#pragma once

#include "model.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace digits {

template <class... Variables>
struct variable_list {};

// All that outlives a step: what two equal runs must agree on.
// clang-format off
using trained = variable_list<
    weight<1>, weight<2>, weight<3>, weight<4>,
    bias<1>, bias<2>, bias<3>, bias<4>,
    velocity<weight<1>>, velocity<weight<2>>, velocity<weight<3>>, velocity<weight<4>>,
    velocity<bias<1>>, velocity<bias<2>>, velocity<bias<3>>, velocity<bias<4>>>;
// clang-format on

// One value per variable, zero at first.
template <class Variable>
struct slot {
  typename Variable::value_type value{};
};

class sequential {
 public:
  sequential() { (init<weight<1>>(), init<weight<2>>(), init<weight<3>>(), init<weight<4>>()); }

  template <class Variable>
  typename Variable::value_type& get() {
    return static_cast<slot<Variable>&>(slots_).value;
  }
  load& loader() { return load_; }

  void step() {
    zero<1>(), zero<2>(), zero<3>(), zero<4>();
    for (std::size_t m = 0; m < count_; ++m) {
      load_(bs::step_index{steps_}, bs::micro_batch{m}, count_, out<images>(), out<labels>());
      forward<1>(), forward<2>(), forward<3>(), forward<4>();
      softmax_loss{}(in<sum<layers>>(), in<labels>(), out<probabilities>(), out<mean_loss>(),
                     out<hits>());

      softmax_loss_backward{}(in<probabilities>(), in<labels>(), count_, out<delta<sum<layers>>>());
      backward<4>(), backward<3>(), backward<2>(), backward<1>();
    }
    warm_up_then_decay{}(bs::step_index{steps_}, out<learning_rate>());
    update<1>(), update<2>(), update<3>(), update<4>();
    ++steps_;
  }

  // The share of `examples` that the parameters of `engine` classify right.
  template <class Engine>
  double accuracy(Engine& engine, const std::vector<example>& examples) {
    (copy<1>(engine), copy<2>(engine), copy<3>(engine), copy<4>(engine));
    int right = 0;
    for (std::size_t first = 0; first < examples.size(); first += rows) {
      const auto filled = std::min(examples.size() - first, std::size_t{rows});
      for (std::size_t row = 0; row < filled; ++row) {
        std::copy_n(examples[first + row].image, pixels, get<images>()[row]);
      }
      forward<1>(), forward<2>(), forward<3>(), forward<4>();
      for (std::size_t row = 0; row < filled; ++row) {
        right += likeliest(get<sum<layers>>()[row]) == examples[first + row].label ? 1 : 0;
      }
    }
    return static_cast<double>(right) / static_cast<double>(examples.size());
  }

 private:
  template <int L>
  void forward() {
    linear<L>{}(in<output<L - 1>>(), in<weight<L>>(), in<bias<L>>(), out<sum<L>>());
    if constexpr (L < layers) {
      relu<L>{}(in<sum<L>>(), out<output<L>>());
    }
  }

  template <int L>
  void backward() {
    if constexpr (L < layers) {
      relu_backward<L>{}(in<output<L>>(), in<delta<output<L>>>(), out<delta<sum<L>>>());
    }
    if constexpr (L > 1) {
      linear_dx<L>{}(in<delta<sum<L>>>(), in<weight<L>>(), out<delta<output<L - 1>>>());
    }
    linear_dw<L>{}(in<output<L - 1>>(), in<delta<sum<L>>>(), accumulate<gradient<weight<L>>>(),
                   accumulate<gradient<bias<L>>>());
  }

  template <int L>
  void update() {
    update_one<weight<L>>(), update_one<bias<L>>();
  }
  template <class Parameter>
  void update_one() {
    sgd<Parameter>{}(in<learning_rate>(), in<gradient<Parameter>>(), inout<velocity<Parameter>>(),
                     inout<Parameter>());
  }

  template <int L>
  void zero() {
    matrix(get<gradient<weight<L>>>()).setZero();
    matrix(get<gradient<bias<L>>>()).setZero();
  }
  template <class Parameter>
  void init() {
    Parameter::init(get<Parameter>());
  }
  template <int L, class Engine>
  void copy(Engine& engine) {
    matrix(get<weight<L>>()) = matrix(engine.template get<weight<L>>());
    matrix(get<bias<L>>()) = matrix(engine.template get<bias<L>>());
  }

  template <class Variable>
  bs::in<Variable> in() {
    return bs::in<Variable>{get<Variable>()};
  }
  template <class Variable>
  bs::out<Variable> out() {
    return bs::out<Variable>{get<Variable>()};
  }
  template <class Variable>
  bs::inout<Variable> inout() {
    return bs::inout<Variable>{get<Variable>()};
  }
  template <class Variable>
  bs::accumulate<Variable> accumulate() {
    return bs::accumulate<Variable>{get<Variable>()};
  }

  // clang-format off
  template <class... Variables> struct slots : slot<Variables>... {};
  template <int L> struct layer_slots : slots<
      sum<L>, output<L>, delta<sum<L>>, delta<output<L>>,
      weight<L>, gradient<weight<L>>, velocity<weight<L>>,
      bias<L>, gradient<bias<L>>, velocity<bias<L>>> {};
  struct model_slots : layer_slots<1>, layer_slots<2>, layer_slots<3>, layer_slots<4>,
      slots<images, labels, probabilities, mean_loss, hits, learning_rate> {};
  // clang-format on

  model_slots slots_;
  load load_;
  std::size_t steps_ = 0;
  bs::micro_batch_count count_{std::size_t{micro_batches}};
};

template <class Value>
bool same_bytes(const Value& left, const Value& right) {
  return std::ranges::equal(std::as_bytes(std::span{&left, 1}),
                            std::as_bytes(std::span{&right, 1}));
}

// How many of the variables differ between two runs, in any bit.
template <class Left, class Right, class... Variables>
int count_different(Left& left, Right& right, variable_list<Variables...>) {
  return (0 + ... +
          (same_bytes(left.template get<Variables>(), right.template get<Variables>()) ? 0 : 1));
}

}  // namespace digits
