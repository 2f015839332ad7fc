// A model: ops cut into stages. Cross-stage edges are found by the variables that ops name.
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/model/op.hpp"
#include "backstitch/model/type_list.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace backstitch {

// A piece of the model: op types in program order. Ops of one role run in the order written; the
// roles are sorted by the plan.
template <class... Ops>
struct stage {};

// The stages of a model, first to last.
template <class... Stages>
struct pipeline {};

namespace detail {

template <class S>
inline constexpr bool is_stage = false;
template <class... Ops>
inline constexpr bool is_stage<stage<Ops...>> = true;

template <class S>
struct ops_of;
template <class... Ops>
struct ops_of<stage<Ops...>> : type_is<type_list<Ops...>> {};

template <class P>
struct stages_of;
template <class... Stages>
struct stages_of<pipeline<Stages...>> : type_is<type_list<Stages...>> {};

// The ops of stage I of pipeline P, as a type_list.
template <class P, std::size_t Index>
using stage_ops = typename ops_of<typename stages_of<P>::type::template at<Index>>::type;

template <class P>
inline constexpr int stage_count = static_cast<int>(stages_of<P>::type::size);

// -- checks that need no data flow

template <class... Ops>
constexpr index_pair next_repeated_op(type_list<Ops...>, index_pair after) {
  const std::uint64_t hashes[] = {type_hash<Ops>()...};
  return next_equal(hashes, int{sizeof...(Ops)}, after);
}

template <int Stage, class Ops, int First = -1, int Second = -1>
constexpr auto verdict_on_repeated_ops() {
  constexpr index_pair p = detail::next_repeated_op(Ops{}, {First, Second});
  if constexpr (p.first < 0) {
    return type_is<error::accepted>{};
  } else {
    using op = typename Ops::template at<static_cast<std::size_t>(p.first)>;
    if constexpr (std::is_same_v<op,
                                 typename Ops::template at<static_cast<std::size_t>(p.second)>>) {
      return type_is<error::same_op_twice<op, error::in_stage<Stage>>>{};
    } else {
      return verdict_on_repeated_ops<Stage, Ops, p.first, p.second>();
    }
  }
}

template <int Stage, class... Ops>
constexpr auto verdict_on_stage(type_list<Ops...>) {
  using ops = type_list<Ops...>;
  if constexpr (sizeof...(Ops) == 0) {
    return type_is<error::empty_stage<error::in_stage<Stage>>>{};
  } else {
    constexpr bool accepted[] = {op_accepted<Ops>...};
    constexpr int faulty = first_false(accepted);
    if constexpr (faulty >= 0) {
      return type_is<op_verdict<typename ops::template at<static_cast<std::size_t>(faulty)>>>{};
    } else {
      return verdict_on_repeated_ops<Stage, ops>();
    }
  }
}

template <class S, int Stage>
constexpr auto verdict_on_stage_argument() {
  if constexpr (is_stage<S>) {
    return detail::verdict_on_stage<Stage>(typename ops_of<S>::type{});
  } else {
    return type_is<error::not_a_stage<S, error::in_stage<Stage>>>{};
  }
}

template <class S, int Stage>
using stage_verdict = typename decltype(verdict_on_stage_argument<S, Stage>())::type;

template <class... Stages, std::size_t... Is>
constexpr auto verdict_on_stages(type_list<Stages...>, std::index_sequence<Is...>) {
  using stages = type_list<Stages...>;
  constexpr bool accepted[] = {
      std::is_same_v<stage_verdict<Stages, static_cast<int>(Is)>, error::accepted>...};
  constexpr int faulty = first_false(accepted);
  if constexpr (faulty >= 0) {
    return type_is<
        stage_verdict<typename stages::template at<static_cast<std::size_t>(faulty)>, faulty>>{};
  } else {
    return type_is<error::accepted>{};
  }
}

template <class P>
constexpr auto verdict_on_structure(type_is<P>) {
  return type_is<error::not_a_pipeline<P>>{};
}
template <class... Stages>
constexpr auto verdict_on_structure(type_is<pipeline<Stages...>>) {
  if constexpr (sizeof...(Stages) == 0) {
    return type_is<error::no_stage<pipeline<>>>{};
  } else {
    return detail::verdict_on_stages(type_list<Stages...>{}, std::index_sequence_for<Stages...>{});
  }
}

// error::accepted, or the first rule broken by a stage or by an op on its own.
template <class P>
using structure_verdict = typename decltype(detail::verdict_on_structure(type_is<P>{}))::type;

}  // namespace detail
}  // namespace backstitch
