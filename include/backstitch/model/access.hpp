// What an op's call operator may take: typed references to variables, and its place in the step.
//
// The call signature is the data flow: there is no second list to keep in step with it.
#pragma once

#include <cstddef>
#include <type_traits>

namespace backstitch {

// What an op does with a variable.
enum class access_kind : int { in, out, inout, accumulate };

namespace detail {

struct no_value {};
// The value type of a variable; for anything else a type that lets the rule speak first.
template <class V>
struct value_of {
  using type = no_value;
};
template <class V>
  requires(std::is_object_v<typename V::value_type>)
struct value_of<V> {
  using type = typename V::value_type;
};
template <class V>
using value_of_t = typename value_of<V>::type;

// A reference to a value: `*r` is the value, `r->` its member, `r[i]` its i-th element or row.
// `r.data()` points to the first scalar of an array, else to the value itself.
template <class T>
class reference {
 public:
  constexpr explicit reference(T& value) : value_(__builtin_addressof(value)) {}
  explicit reference(T&&) = delete;  // it would dangle
  constexpr T& operator*() const { return *value_; }
  constexpr T* operator->() const { return value_; }
  constexpr decltype(auto) operator[](std::size_t i) const requires requires(T& v) { v[i]; }
  { return (*value_)[i]; }
  constexpr auto* data() const {
    using scalar = std::remove_all_extents_t<T>;
    if constexpr (std::is_array_v<T>) {
      return reinterpret_cast<scalar*>(value_);
    } else {
      return value_;
    }
  }

 private:
  T* value_;
};

}  // namespace detail

// Each may say what it expects: in<y, float[512]> is refused unless that is the type of y, so that
// an op written once for many variables states the shape it was written for.

// Read a value.
template <class V, class Expected = void>
struct in : detail::reference<const detail::value_of_t<V>> {
  using variable = V;                                     // the tag
  static constexpr access_kind access = access_kind::in;  // how
  using detail::reference<const detail::value_of_t<V>>::reference;
};

// Write the whole value. An object with a destructor arrives as T{}; anything else holds what the
// slot held before: overwrite all of it.
template <class V, class Expected = void>
struct out : detail::reference<detail::value_of_t<V>> {
  using variable = V;                                      // the tag
  static constexpr access_kind access = access_kind::out;  // how
  using detail::reference<detail::value_of_t<V>>::reference;
};

// Read and change a value in place.
template <class V, class Expected = void>
struct inout : detail::reference<detail::value_of_t<V>> {
  using variable = V;                                        // the tag
  static constexpr access_kind access = access_kind::inout;  // how
  using detail::reference<detail::value_of_t<V>>::reference;
};

// Add to a value that the plan has zeroed.
template <class V, class Expected = void>
struct accumulate : detail::reference<detail::value_of_t<V>> {
  using variable = V;                                             // the tag
  static constexpr access_kind access = access_kind::accumulate;  // how
  using detail::reference<detail::value_of_t<V>>::reference;
};

namespace detail {

// A number with a meaning of its own, so that one cannot be passed for another.
template <class Tag>
struct position {
  std::size_t value = 0;
  constexpr position() = default;
  constexpr explicit position(std::size_t v) : value(v) {}
  constexpr operator std::size_t() const { return value; }
};

}  // namespace detail

// The micro-batch that the op works on: 0 .. M-1 (lr_schedule: 0; optimize: M-1).
struct micro_batch : detail::position<micro_batch> {
  using position::position;
};
// Steps completed before this one.
struct step_index : detail::position<step_index> {
  using position::position;
};
// M, the micro-batches per step.
struct micro_batch_count : detail::position<micro_batch_count> {
  using position::position;
};
// The stage that the op stands in.
struct stage_index : detail::position<stage_index> {
  using position::position;
};

namespace detail {

template <class T>
inline constexpr bool is_position =
    std::is_same_v<T, micro_batch> || std::is_same_v<T, step_index> ||
    std::is_same_v<T, micro_batch_count> || std::is_same_v<T, stage_index>;

// The variable of an access, without completing the access type; `void` for any other type.
template <class T>
struct accessed {
  using type = void;
};
template <class V, class Expected>
struct accessed<in<V, Expected>> {
  using type = V;
  using expected = Expected;
};
template <class V, class Expected>
struct accessed<out<V, Expected>> {
  using type = V;
  using expected = Expected;
};
template <class V, class Expected>
struct accessed<inout<V, Expected>> {
  using type = V;
  using expected = Expected;
};
template <class V, class Expected>
struct accessed<accumulate<V, Expected>> {
  using type = V;
  using expected = Expected;
};
template <class T>
using accessed_variable = typename accessed<T>::type;
// The type that the op expects of it; `void`: whatever it is.
template <class T>
using expected_value = typename accessed<T>::expected;
template <class T>
inline constexpr bool is_access = !std::is_void_v<accessed_variable<T>>;

}  // namespace detail
}  // namespace backstitch
