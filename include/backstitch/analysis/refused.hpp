// What is left of a program that breaks a rule: the rule is reported once, and nothing else.
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/analysis/figures.hpp"

#include <type_traits>

namespace backstitch::detail {
// A figure of a refused program: it meets every expectation, so that a user's static_assert adds no
// error.
struct any_number {
  template <class T>
  constexpr operator T() const {
    return T{};
  }
  template <class T>
  friend constexpr bool operator==(any_number, const T&) {
    return true;
  }
  template <class T>
  friend constexpr bool operator<(any_number, const T&) {
    return true;
  }
  template <class T>
  friend constexpr bool operator<=(any_number, const T&) {
    return true;
  }
  template <class T>
  friend constexpr bool operator>(any_number, const T&) {
    return true;
  }
  template <class T>
  friend constexpr bool operator>=(any_number, const T&) {
    return true;
  }
};

template <class Verdict>
concept refused = !std::is_same_v<Verdict, error::accepted>;

// The figures of a refused program.
struct any_rank_figures {
  any_number start, end, busy, peak_in_flight, peak_pending;
  static constexpr any_number span_idle() { return {}; }
};
struct any_ranks {
  constexpr any_rank_figures operator[](int) const { return {}; }
};
struct any_figures {
  any_number makespan;
  any_ranks rank;
  static constexpr any_number bubble() { return {}; }
  static constexpr any_number span_bubble() { return {}; }
};

// What is left of a refused program: members that cause no second error.
class refused_schedule {
 public:
  static constexpr int ranks = 1;
  static constexpr int micro_batches = 1;
  static constexpr any_number peak_in_flight(int /*rank*/) { return {}; }
  static constexpr any_figures figures(costs = {}) { return {}; }
  static constexpr any_number ideal_bubble() { return {}; }
};

}  // namespace backstitch::detail
