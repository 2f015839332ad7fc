// A model as a schedule runs it: several copies of it, or its forward part alone. The same table,
// so that everything behind it works on it as on any model.
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/model/edges.hpp"
#include "backstitch/model/flow.hpp"
#include "backstitch/model/table.hpp"

#include <type_traits>

namespace backstitch::detail {

// `Copies` of Pipeline, whose stages, ops and variables are numbered on. Copies share no variable.
// `ForwardOnly`: what other ops than forward ones do is left out.
template <class Pipeline, int Copies, bool ForwardOnly>
struct program_model {};

// The model itself where nothing changes, so that names stay short.
template <class Pipeline, int Copies, bool ForwardOnly>
using program_model_of = std::conditional_t<Copies == 1 && !ForwardOnly, Pipeline,
                                            program_model<Pipeline, Copies, ForwardOnly>>;

template <class P, int N, bool ForwardOnly>
inline constexpr int stage_count<program_model<P, N, ForwardOnly>> = stage_count<P>* N;

template <int Copies, int Stages, int Ops, int Accesses>
constexpr auto copy_model(const model_table<Stages, Ops, Accesses>& one, bool forward_only) {
  model_table<Stages * Copies, Ops * Copies, Accesses * Copies> t;
  const unsigned kept = forward_only ? in_forward : ~0u;
  for (int c = 0; c < Copies; ++c) {
    const int first_variable = t.variables, first_use = t.uses;
    const int first_op = t.ops, first_access = t.accesses;
    for (int s = 0; s <= Stages; ++s) t.first_op[c * Stages + s] = first_op + one.first_op[s];
    for (int i = 0; i < one.ops; ++i) {
      op_row& op = t.op[t.ops++] = one.op[i];
      op.stage += c * Stages;
      op.first_access += first_access;
    }
    for (int a = 0; a < one.accesses; ++a) {
      access_row& access = t.access[t.accesses++] = one.access[a];
      access.op += first_op;
      access.variable += first_variable;
    }
    for (int v = 0; v < one.variables; ++v) {
      variable_row& variable = t.variable[t.variables++] = one.variable[v];
      variable.access += first_access;
      variable.first_use += first_use;
      variable.last_use += first_use;
    }
    for (int u = 0; u < one.uses; ++u) {
      use_row& use = t.use[t.uses++] = one.use[u];
      use.variable += first_variable;
      use.stage += c * Stages;
      use.reads &= kept;
      use.writes &= kept;
      use.updates &= kept;
      use.accumulates &= kept;
      if (use.next >= 0) use.next += first_use;
    }
  }
  return t;
}

template <class P, int N, bool ForwardOnly>
inline constexpr auto copied_model_v = copy_model<N>(model_v<P>, ForwardOnly);
template <class P, int N, bool ForwardOnly>
inline constexpr const auto& model_v<program_model<P, N, ForwardOnly>> =
    copied_model_v<P, N, ForwardOnly>;

template <class P, int N, bool ForwardOnly, int Op>
struct op_type_at<program_model<P, N, ForwardOnly>, Op> : op_type_at<P, Op % model_v<P>.ops> {};
template <class P, int N, bool ForwardOnly, int Access>
struct access_type_at<program_model<P, N, ForwardOnly>, Access>
    : access_type_at<P, Access % model_v<P>.accesses> {};

// Of the first copy.
template <class P, int N, bool ForwardOnly, class V>
inline constexpr int variable_number<program_model<P, N, ForwardOnly>, V> = variable_number<P, V>;

template <class P>
struct copies_of : std::integral_constant<int, 1> {};
template <class P, int N, bool ForwardOnly>
struct copies_of<program_model<P, N, ForwardOnly>> : std::integral_constant<int, N> {};
template <class P>
inline constexpr bool runs_forward_only = false;
template <class P, int N, bool ForwardOnly>
inline constexpr bool runs_forward_only<program_model<P, N, ForwardOnly>> = ForwardOnly;

}  // namespace backstitch::detail
