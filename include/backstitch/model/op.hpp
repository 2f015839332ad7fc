// One op: what it is checked for on its own, and its data flow as plain data.
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/extent.hpp"
#include "backstitch/model/access.hpp"
#include "backstitch/model/role.hpp"
#include "backstitch/model/signature.hpp"
#include "backstitch/model/type_list.hpp"
#include "backstitch/model/variable.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace backstitch::detail {

// One variable as an op names it.
struct raw_access {
  std::uint64_t variable = 0;  // hash of the variable's name
  access_kind access = access_kind::in;
  variable_kind kind = variable_kind::activation;
  value_facts value = {};
  int argument = 0;
};

template <int Capacity>
struct op_facts {
  role flags = role::forward;
  backward_half half = backward_half::none;
  int accesses = 0;
  raw_access access[extent(Capacity)] = {};
};

template <class Arg>
constexpr void append_access([[maybe_unused]] raw_access* rows, [[maybe_unused]] int& n,
                             [[maybe_unused]] int argument) {
  if constexpr (is_access<Arg>) {
    using v = accessed_variable<Arg>;
    rows[n++] = {type_hash<v>(), Arg::access, v::kind, facts_of_value<value_t<v>>(), argument};
  }
}

// The half that a backward op writes for. Sums over the step belong to neither.
constexpr backward_half half_of(const raw_access* rows, int n) {
  bool weights = false, inputs = false;
  for (int i = 0; i < n; ++i) {
    if (rows[i].access == access_kind::in) continue;
    weights = weights || rows[i].kind == variable_kind::gradient;
    inputs = inputs || is_per_micro_batch(rows[i].kind);
  }
  return !weights ? backward_half::input : inputs ? backward_half::both : backward_half::weight;
}

template <class Op, class... Args>
constexpr auto facts_of_op(type_list<Args...>) {
  op_facts<int{sizeof...(Args)} + 1> facts;
  facts.flags = role_of<Op>();
  [[maybe_unused]] int argument = 0;
  (append_access<Args>(facts.access, facts.accesses, argument++), ...);
  facts.half = !is_backward<Op>                ? backward_half::none
               : has_role<Op, backward_input>  ? backward_half::input
               : has_role<Op, backward_weight> ? backward_half::weight
                                               : half_of(facts.access, facts.accesses);
  return facts;
}

template <class Op>
inline constexpr auto op_facts_v = detail::facts_of_op<Op>(arguments_of<Op>{});

// -- checks of one op

template <class Arg>
constexpr bool parameter_is_known() {
  if constexpr (is_access<Arg>) {
    return variable<accessed_variable<Arg>>;
  } else {
    return is_position<Arg>;
  }
}

template <class Arg>
constexpr bool value_is_usable() {
  if constexpr (is_access<Arg>) {
    return facts_of_value<value_t<accessed_variable<Arg>>>().usable;
  } else {
    return true;
  }
}

template <class Arg>
constexpr bool owner_is_right() {
  if constexpr (is_access<Arg>) {
    return owner_fits<accessed_variable<Arg>>();
  } else {
    return true;
  }
}

template <class Arg>
constexpr bool gradient_type_is_right() {
  if constexpr (is_access<Arg>) {
    return gradient_type_fits<accessed_variable<Arg>>();
  } else {
    return true;
  }
}

template <class Arg>
constexpr bool type_is_as_expected() {
  if constexpr (is_access<Arg>) {
    return std::is_void_v<expected_value<Arg>> ||
           std::is_same_v<expected_value<Arg>, value_t<accessed_variable<Arg>>>;
  } else {
    return true;
  }
}

template <class Arg>
constexpr bool init_is_right() {
  if constexpr (is_access<Arg>) {
    return init_fits<accessed_variable<Arg>>();
  } else {
    return true;
  }
}

template <std::size_t N>
constexpr int first_false(const bool (&flags)[N]) {
  for (std::size_t i = 0; i < N; ++i) {
    if (!flags[i]) return static_cast<int>(i);
  }
  return -1;
}

// Two accesses behind `after` whose variables print alike and of which one writes.
template <int N>
constexpr index_pair next_repeated_access(const op_facts<N>& f, index_pair after) {
  std::uint64_t hashes[extent(N)] = {};
  for (int i = 0; i < f.accesses; ++i) hashes[i] = f.access[i].variable;
  index_pair p = next_equal(hashes, f.accesses, after);
  while (p.first >= 0 && f.access[p.first].access == access_kind::in &&
         f.access[p.second].access == access_kind::in) {
    p = next_equal(hashes, f.accesses, p);
  }
  return p;
}

template <class Op, class Arguments, int First = -1, int Second = -1>
constexpr auto verdict_on_repetition() {
  constexpr index_pair p = next_repeated_access(op_facts_v<Op>, {First, Second});
  if constexpr (p.first < 0) {
    return type_is<error::accepted>{};
  } else {
    constexpr auto one = static_cast<std::size_t>(op_facts_v<Op>.access[p.first].argument);
    constexpr auto two = static_cast<std::size_t>(op_facts_v<Op>.access[p.second].argument);
    using v = accessed_variable<typename Arguments::template at<one>>;
    if constexpr (std::is_same_v<v, accessed_variable<typename Arguments::template at<two>>>) {
      return type_is<error::variable_named_twice<Op, v>>{};
    } else {
      return verdict_on_repetition<Op, Arguments, p.first, p.second>();
    }
  }
}

// The variables that an op names, each on its own.
template <class Op, class... Args>
constexpr auto verdict_on_variables(type_list<Args...>) {
  using arguments = type_list<Args...>;
  constexpr bool usable[] = {true, value_is_usable<Args>()...};
  constexpr bool owned[] = {true, owner_is_right<Args>()...};
  constexpr int unusable = first_false(usable) - 1;
  constexpr int disowned = first_false(owned) - 1;
  if constexpr (unusable >= 0) {
    return type_is<error::value_not_movable<
        accessed_variable<typename arguments::template at<static_cast<std::size_t>(unusable)>>>>{};
  } else if constexpr (disowned >= 0) {
    using v =
        accessed_variable<typename arguments::template at<static_cast<std::size_t>(disowned)>>;
    return type_is<error::wrong_owner<v, typename v::of>>{};
  } else {
    constexpr bool of_owners_type[] = {true, gradient_type_is_right<Args>()...};
    constexpr bool as_expected[] = {true, type_is_as_expected<Args>()...};
    constexpr bool started[] = {true, init_is_right<Args>()...};
    constexpr int retyped = first_false(of_owners_type) - 1;
    constexpr int unexpected = first_false(as_expected) - 1;
    constexpr int unstarted = first_false(started) - 1;
    if constexpr (retyped >= 0) {
      using v =
          accessed_variable<typename arguments::template at<static_cast<std::size_t>(retyped)>>;
      return type_is<error::gradient_type_differs<v, error::declared<spelled_out<value_t<v>>>,
                                                  error::expected<value_t<typename v::of>>>>{};
    } else if constexpr (unexpected >= 0) {
      using a = typename arguments::template at<static_cast<std::size_t>(unexpected)>;
      using v = accessed_variable<a>;
      return type_is<error::value_types_differ<Op, v, error::declared<value_t<v>>,
                                               error::expected<expected_value<a>>>>{};
    } else if constexpr (unstarted >= 0) {
      return type_is<error::init_not_usable<accessed_variable<
          typename arguments::template at<static_cast<std::size_t>(unstarted)>>>>{};
    } else {
      return verdict_on_repetition<Op, arguments>();
    }
  }
}

template <class Op, class... Args>
constexpr auto verdict_on_parameters(type_list<Args...>) {
  using arguments = type_list<Args...>;
  constexpr bool known[] = {true, parameter_is_known<Args>()...};
  constexpr int unknown = first_false(known) - 1;
  if constexpr (unknown >= 0) {
    return type_is<error::unknown_parameter<
        Op, typename arguments::template at<static_cast<std::size_t>(unknown)>,
        error::parameter_number<unknown + 1>>>{};
  } else {
    return detail::verdict_on_variables<Op>(arguments{});
  }
}

// The first and the last primary role that an op has; they differ when there are two.
template <class Op, class... Roles>
constexpr auto pick_roles(type_list<Roles...>) {
  constexpr bool has[] = {has_role<Op, Roles>...};
  constexpr std::size_t n = sizeof...(Roles);
  std::size_t first = 0, last = n - 1;
  while (!has[first]) ++first;
  while (!has[last]) --last;
  return std::pair{first, last};
}
using primary_role_list =
    type_list<forward, backward, backward_input, backward_weight, optimize, lr_schedule>;
template <class Op>
using first_role = primary_role_list::at<pick_roles<Op>(primary_role_list{}).first>;
template <class Op>
using last_role = primary_role_list::at<pick_roles<Op>(primary_role_list{}).second>;

template <class Op>
constexpr auto verdict_on_role() {
  if constexpr (has_role<Op, rpc>) {
    return type_is<error::role_refused<Op, rpc>>{};
  } else if constexpr (has_role<Op, dist>) {
    return type_is<error::role_refused<Op, dist>>{};
  } else if constexpr (has_role<Op, collective>) {
    return type_is<error::role_refused<Op, collective>>{};
  } else if constexpr (primary_roles<Op> == 0) {
    return type_is<error::op_without_role<Op>>{};
  } else if constexpr (primary_roles<Op> > 1) {
    return type_is<error::op_with_two_roles<Op, first_role<Op>, last_role<Op>>>{};
  } else if constexpr (has_role<Op, loss> && !has_role<Op, forward> && !is_backward<Op>) {
    return type_is<error::loss_on_wrong_role<Op, first_role<Op>>>{};
  } else {
    return type_is<error::accepted>{};
  }
}

template <class Op>
concept complete_class = requires {
  sizeof(Op);
};

template <class Op>
constexpr auto verdict_on_complete_op() {
  using on_role = typename decltype(verdict_on_role<Op>())::type;
  if constexpr (!std::is_same_v<on_role, error::accepted>) {
    return type_is<on_role>{};
  } else if constexpr (!has_single_call_operator<Op>) {
    return type_is<error::no_single_call_operator<Op>>{};
  } else if constexpr (!std::is_void_v<result_of<Op>>) {
    return type_is<error::op_returns_a_value<Op, result_of<Op>>>{};
  } else if constexpr (!std::is_default_constructible_v<Op>) {
    return type_is<error::op_not_default_constructible<Op>>{};
  } else {
    return detail::verdict_on_parameters<Op>(arguments_of<Op>{});
  }
}

template <class Op>
constexpr auto verdict_on_op() {
  if constexpr (!std::is_same_v<Op, std::remove_cvref_t<Op>> || !std::is_class_v<Op> ||
                !complete_class<Op>) {
    return type_is<error::not_an_op<Op>>{};
  } else {
    return verdict_on_complete_op<Op>();
  }
}

// error::accepted, or the first rule that the op breaks on its own.
template <class Op>
using op_verdict = typename decltype(verdict_on_op<Op>())::type;
template <class Op>
inline constexpr bool op_accepted = std::is_same_v<op_verdict<Op>, error::accepted>;

}  // namespace backstitch::detail
