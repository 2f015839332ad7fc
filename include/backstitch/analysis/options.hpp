// What may stand behind the micro-batches of a schedule or plan: a placement, a channel model, and
// what a plan knows besides. In any order, each kind at most once.
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/analysis/channel.hpp"
#include "backstitch/schedule/placement.hpp"
#include "backstitch/schedule/policy.hpp"

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace backstitch::detail {

template <class T>
concept placement_tag = requires {
  { T::rank_of(0, 1, 1, 1) } -> std::convertible_to<int>;
};

// Picks the options of a kind. `Kind<T>::value`.
template <template <class> class Kind, class Default, class... Options>
constexpr auto pick_option() {
  constexpr bool is[] = {false, Kind<Options>::value...};
  int count = 0;
  for (bool b : is) count += b ? 1 : 0;
  return count;
}
template <template <class> class Kind, class Default>
constexpr auto first_option() {
  return type_is<Default>{};
}
template <template <class> class Kind, class Default, class First, class... Rest>
constexpr auto first_option() {
  if constexpr (Kind<First>::value) {
    return type_is<First>{};
  } else {
    return first_option<Kind, Default, Rest...>();
  }
}
template <template <class> class Kind, class Default, class... Options>
using option_or = typename decltype(first_option<Kind, Default, Options...>())::type;

template <class T>
using is_placement = std::bool_constant<placement_tag<T>>;
template <class T>
using is_channel = std::bool_constant<channel_tag<T>>;

// The first option that is of no kind, or the second one of a kind.
template <template <class> class... Kinds>
struct option_kinds {
  template <class T>
  static constexpr int kind_of() {
    constexpr bool is[] = {Kinds<T>::value...};
    for (int k = 0; k < int{sizeof...(Kinds)}; ++k) {
      if (is[k]) return k;
    }
    return -1;
  }
  template <class... Options>
  static constexpr int first_wrong() {
    const int kind[] = {kind_of<Options>()..., -1};
    bool seen[sizeof...(Kinds)] = {};
    for (int i = 0; i < int{sizeof...(Options)}; ++i) {
      if (kind[i] < 0 || seen[kind[i]]) return i;
      seen[kind[i]] = true;
    }
    return -1;
  }
  template <int N>
  static constexpr auto nth() {
    return type_is<void>{};
  }
  template <int N, class First, class... Rest>
  static constexpr auto nth() {
    if constexpr (N == 0) {
      return type_is<First>{};
    } else {
      return nth<N - 1, Rest...>();
    }
  }
  template <class... Options>
  static constexpr auto verdict() {
    constexpr int wrong = first_wrong<Options...>();
    if constexpr (wrong < 0) {
      return type_is<error::accepted>{};
    } else {
      return type_is<error::not_an_option<typename decltype(nth<wrong, Options...>())::type>>{};
    }
  }
};

}  // namespace backstitch::detail
