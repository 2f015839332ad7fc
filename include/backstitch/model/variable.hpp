// Variables: a tag type that names a value, its lifetime and its plain C++ type.
//
//   struct x : backstitch::activation<float[32][64]> {};
//
// Array types carry the shape. Any default-constructible, movable object type will do.
#pragma once

#include "backstitch/error.hpp"

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace backstitch {

// How long a value lives.
enum class variable_kind : int {
  activation,           // one value per micro-batch in flight
  activation_gradient,  // likewise; may be accumulated within one micro-batch's backward
  parameter,            // one value for the whole run, written by optimize ops
  gradient,    // one value, zeroed at the start of each step, accumulated over micro-batches
  state,       // optimizer state: one value for the whole run
  step_value,  // one value per step and stage
  buffer,      // one value for the whole run, updated by forward ops in micro-batch order
};

// A value of type T per micro-batch. One that no op reads is an output of the step: it is kept for
// every micro-batch until the next step, and the engine reads it.
template <class T>
struct activation {
  using value_type = T;                                             // the C++ type
  static constexpr variable_kind kind = variable_kind::activation;  // how long it lives
};

// The gradient of an activation: same type, one per micro-batch. With `accumulate` it is zeroed
// before the backward of its micro-batch (the fan-out of a residual connection).
template <class Activation>
struct activation_gradient {
  using of = Activation;                               // what it is the gradient of
  using value_type = typename Activation::value_type;  // the C++ type
  static constexpr variable_kind kind = variable_kind::activation_gradient;  // how long it lives
};

// A trainable value. Parameters, state and buffers start value-initialised, or by a public
// `static void init(value_type&)` of the tag.
template <class T>
struct parameter {
  using value_type = T;                                            // the C++ type
  static constexpr variable_kind kind = variable_kind::parameter;  // how long it lives
};

// The gradient of a parameter: zeroed at the start of each step.
template <class Parameter>
struct gradient {
  using of = Parameter;                                           // what it is the gradient of
  using value_type = typename Parameter::value_type;              // the C++ type
  static constexpr variable_kind kind = variable_kind::gradient;  // how long it lives
};

// Optimizer state that belongs to a parameter; by default of the parameter's type.
template <class Parameter, class T = typename Parameter::value_type>
struct state {
  using of = Parameter;                                        // what it belongs to
  using value_type = T;                                        // the C++ type
  static constexpr variable_kind kind = variable_kind::state;  // how long it lives
};

// A value per step, such as the learning rate. Each stage that reads it has its own, written by an
// lr_schedule op of that stage, or summed over micro-batches with `accumulate`.
template <class T>
struct step_value {
  using value_type = T;                                             // the C++ type
  static constexpr variable_kind kind = variable_kind::step_value;  // how long it lives
};

// State that forward ops of one stage update in micro-batch order: running statistics, a random
// generator.
template <class T>
struct buffer {
  using value_type = T;                                         // the C++ type
  static constexpr variable_kind kind = variable_kind::buffer;  // how long it lives
};

// Satisfied by tag types derived from one of the templates above.
template <class V>
concept variable = std::is_class_v<V> && !std::is_const_v<V> && !std::is_volatile_v<V> && requires {
  typename V::value_type;
  { V::kind } -> std::convertible_to<variable_kind>;
};

// The C++ type of a variable.
template <class V>
using value_t = typename V::value_type;

// One value per micro-batch in flight; may cross stages.
constexpr bool is_per_micro_batch(variable_kind k) {
  return k == variable_kind::activation || k == variable_kind::activation_gradient;
}
// Belongs to one stage for the whole run or step; never crosses a stage boundary.
constexpr bool is_stage_bound(variable_kind k) {
  return k == variable_kind::parameter || k == variable_kind::gradient ||
         k == variable_kind::state || k == variable_kind::buffer;
}

namespace detail {

// Whether a tag has a member named `init`, whatever it is: then the name is ambiguous beside this
// one.
struct also_init {
  int init;
};
template <class V>
struct init_probe : V, also_init {};
template <class V>
concept names_init = !std::is_final_v<V> && !requires {
  &init_probe<V>::init;
};

template <class V>
concept has_init = std::is_same_v<decltype(&V::init), void (*)(value_t<V>&)> ||
    std::is_same_v<decltype(&V::init), void (*)(value_t<V>&) noexcept>;

// An initialiser that would not be called is an error, not a parameter that starts at zero.
template <class V>
constexpr bool init_fits() {
  if constexpr (names_init<V>) {
    return has_init<V> && (V::kind == variable_kind::parameter || V::kind == variable_kind::state ||
                           V::kind == variable_kind::buffer);
  } else {
    return true;
  }
}

// What a value's type can do, as data.
struct value_facts {
  std::size_t bytes = 0;
  std::size_t alignment = 1;
  bool trivial_copy = false;
  bool trivial_destroy = false;
  bool copyable = false;
  bool usable = false;  // default construction and move assignment
};

template <class T>
constexpr value_facts facts_of_value() {
  return {};  // references, void, functions, arrays of unknown length, incomplete types
}
template <class T>
  requires(std::is_object_v<T> && !std::is_unbounded_array_v<T> && requires { sizeof(T); })
constexpr value_facts facts_of_value() {
  using e = std::remove_all_extents_t<T>;
  return {sizeof(T), alignof(T), std::is_trivially_copyable_v<e>,
          std::is_trivially_destructible_v<e>, std::is_copy_assignable_v<e>,
          std::is_default_constructible_v<e> && std::is_move_assignable_v<e> && requires {e{};
}
};  // namespace detail
}  // namespace backstitch

// An array type put together anew, since nvcc would print the alias in an error.
template <class T>
struct spell_out : type_is<T> {};
template <class T, std::size_t N>
struct spell_out<T[N]> : type_is<typename spell_out<T>::type[N]> {};
template <class T>
using spelled_out = typename spell_out<T>::type;

// Whether what a variable belongs to is of the right kind: an activation_gradient of an activation,
// a gradient or state of a parameter.
template <class V>
constexpr bool owner_fits() {
  if constexpr (V::kind == variable_kind::activation_gradient) {
    return V::of::kind == variable_kind::activation;
  } else if constexpr (V::kind == variable_kind::gradient || V::kind == variable_kind::state) {
    return V::of::kind == variable_kind::parameter;
  } else {
    return true;
  }
}

// A tag can hide the type that its base takes from the owner.
template <class V>
constexpr bool gradient_type_fits() {
  if constexpr (V::kind == variable_kind::activation_gradient ||
                V::kind == variable_kind::gradient) {
    return std::is_same_v<value_t<V>, value_t<typename V::of>>;
  } else {
    return true;
  }
}

}  // namespace detail
}  // namespace backstitch
