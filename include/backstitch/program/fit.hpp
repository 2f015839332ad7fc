// Whether a model and a schedule fit: what the policy asks of the ops, and what the ops ask of the
// order.
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/model/copies.hpp"
#include "backstitch/model/table.hpp"
#include "backstitch/schedule/policies/fused.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/timetable.hpp"

#include <type_traits>
#include <utility>

namespace backstitch::detail {

// What a policy asks of the model's ops.
template <class Pipeline>
constexpr int first_op_of_both_halves() {
  const auto& model = model_v<Pipeline>;
  for (int i = 0; i < model.ops; ++i) {
    if (model.op[i].half == backward_half::both) return i;
  }
  return -1;
}
template <class Model>
constexpr bool updates_buffer(int op) {
  const auto& model = model_v<Model>;
  for (int a = model.op[op].first_access; a < model.op[op].first_access + model.op[op].accesses;
       ++a) {
    const access_row& row = model.access[a];
    if (model.variable[row.variable].kind == variable_kind::buffer &&
        row.access == access_kind::inout) {
      return true;
    }
  }
  return false;
}
// With several copies of the model: the first access that would make them differ.
template <class Pipeline>
constexpr int first_access_of_one_copy() {
  const auto& model = model_v<Pipeline>;
  for (int a = 0; a < model.accesses; ++a) {
    const variable_kind kind = model.variable[model.access[a].variable].kind;
    const bool changes_buffer =
        kind == variable_kind::buffer && model.access[a].access == access_kind::inout;
    const bool updates_from_one =
        model.op[model.access[a].op].group == op_group::optimize && is_per_micro_batch(kind);
    if (changes_buffer || updates_from_one) return a;
  }
  return -1;
}
// A sum over the step whose type cannot be added up.
template <class Pipeline, int U>
constexpr bool is_unreducible() {
  constexpr use_row use = model_v<Pipeline>.use[U];
  if constexpr (use.accumulates == 0 ||
                is_per_micro_batch(model_v<Pipeline>.variable[use.variable].kind)) {
    return false;
  } else {
    using value = std::remove_all_extents_t<value_t<variable_at<Pipeline, use.variable>>>;
    return !requires(value & a, const value& b) { a += b; };
  }
}
template <class Pipeline, int... Us>
constexpr int first_unreducible_use(std::integer_sequence<int, Us...>) {
  const bool is[] = {is_unreducible<Pipeline, Us>()..., false};
  for (int u = 0; u < int{sizeof...(Us)}; ++u) {
    if (is[u]) return u;
  }
  return -1;
}

template <class Pipeline, class Policy>
constexpr auto verdict_on_copies() {
  if constexpr (pipes_of<Policy>() <= 1 || is_forward_only<Policy>()) {
    return type_is<error::accepted>{};
  } else {
    constexpr int access = first_access_of_one_copy<Pipeline>();
    if constexpr (access >= 0) {
      constexpr access_row row = model_v<Pipeline>.access[access];
      return type_is<error::copies_would_differ<Policy, op_at<Pipeline, row.op>,
                                                variable_at<Pipeline, row.variable>>>{};
    } else {
      constexpr int use = first_unreducible_use<Pipeline>(
          std::make_integer_sequence<int, model_v<Pipeline>.uses>{});
      if constexpr (use >= 0) {
        return type_is<error::not_reducible<
            Policy, variable_at<Pipeline, model_v<Pipeline>.use[use].variable>>>{};
      } else {
        return type_is<error::accepted>{};
      }
    }
  }
}
template <class Pipeline, class Policy>
constexpr auto verdict_on_fit() {
  constexpr int whole = first_op_of_both_halves<Pipeline>();
  if constexpr (splits_backward<Policy>() && whole >= 0) {
    return type_is<error::op_does_not_split<Policy, op_at<Pipeline, whole>,
                                            error::try_instead<fused<Policy>>>>{};
  } else {
    return verdict_on_copies<Pipeline, Policy>();
  }
}

// The first op of a stage that counts on forwards in micro-batch order: it updates a buffer, or it
// is a learning-rate op, which runs with micro-batch 0 and before the others. -1: none.
template <class Model>
constexpr int op_that_needs_order(int stage) {
  const auto& model = model_v<Model>;
  for (int i = model.first_op[stage]; i < model.first_op[stage + 1]; ++i) {
    if (model.op[i].group == op_group::lr_schedule && !runs_forward_only<Model>) return i;
    if (updates_buffer<Model>(i)) return i;
  }
  return -1;
}

struct disorder {
  int op = -1;  // -1: none
  int rank = 0;
  int slot = 0;
};
template <class Setup, class Model>
constexpr disorder find_disorder() {
  const program_view t = work_v<Setup>.view();
  for (int s = 0; s < Setup::stages; ++s) {
    const int op = op_that_needs_order<Model>(s), r = Setup::rank_of(s);
    for (int i = 0, next = Setup::sizes.first_micro_batch(s); op >= 0 && i < t.count[r]; ++i) {
      if (t.list[r][i].stage != s || t.list[r][i].kind != action_kind::forward) continue;
      if (t.list[r][i].micro_batch != next++) return {op, r, i};
    }
  }
  return {};
}

template <class Setup, class Model>
constexpr auto verdict_on_forward_order() {
  constexpr disorder found = find_disorder<Setup, Model>();
  if constexpr (found.op < 0) {
    return type_is<error::accepted>{};
  } else {
    return type_is<
        error::forwards_out_of_order<typename Setup::policy, op_at<Model, found.op>,
                                     error::on_rank<found.rank>, error::at_slot<found.slot>>>{};
  }
}

}  // namespace backstitch::detail
