// Data-flow rules of a model, and its cross-stage edges. O(accesses).
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/extent.hpp"
#include "backstitch/model/table.hpp"

#include <type_traits>

namespace backstitch::detail {

enum class flow_rule : int {
  none,
  read_but_never_written,
  step_value_without_writer,
  read_before_written,
  written_twice,
  written_in_two_stages,
  used_in_two_stages,
  forward_read_of_later_stage,
  forward_read_of_backward_value,
  changed_after_sending,
  backward_send_from_first_stage,
  backward_read_of_earlier_stage,
  lr_schedule_reads_activation,
  only_optimize_writes_parameters,
  access_refused,
  edge_not_transferable,
  weight_value_read_too_early,
};

struct flow_fault {
  flow_rule rule = flow_rule::none;
  int access = 0;  // names the op and the variable
  int first_stage = 0;
  int second_stage = 0;
};

inline constexpr unsigned in_forward = bit(op_group::forward);
inline constexpr unsigned in_backward = bit(op_group::backward);
inline constexpr unsigned in_optimize = bit(op_group::optimize);
inline constexpr unsigned in_lr = bit(op_group::lr_schedule);
inline constexpr unsigned anywhere = in_forward | in_backward | in_optimize | in_lr;

// The op groups in which a variable of this kind may be accessed this way.
constexpr unsigned allowed_groups(variable_kind v, access_kind a) {
  switch (v) {
    case variable_kind::activation:
    case variable_kind::activation_gradient:
      if (a == access_kind::in) return in_forward | in_backward | in_optimize;
      if (a == access_kind::accumulate) {
        return v == variable_kind::activation_gradient ? in_backward : 0;
      }
      return in_forward | in_backward;
    case variable_kind::parameter:
    case variable_kind::state:
      return a == access_kind::in ? anywhere : a == access_kind::accumulate ? 0 : in_optimize;
    case variable_kind::gradient:
      if (a == access_kind::accumulate) return in_backward;
      return a == access_kind::out ? 0 : in_optimize;  // before, it is a partial sum
    case variable_kind::step_value:
      if (a == access_kind::in) return anywhere;
      if (a == access_kind::accumulate) return in_forward | in_backward;
      return in_lr | in_optimize;
    case variable_kind::buffer:
      return a == access_kind::in ? anywhere : a == access_kind::inout ? in_forward : 0;
  }
  return 0;
}

// The op of a variable's stage after which its value may be read, per use; and how often `out`
// stands in the whole model (per stage for step values).
template <int N>
struct writer_facts {
  int last_writer[extent(N)] = {};  // op number, -1: none
  int outs[extent(N)] = {};         // `out` accesses of the use
};

template <class Table>
constexpr auto find_writers(const Table& t) {
  writer_facts<std::extent_v<decltype(t.use)>> w;
  for (int& op : w.last_writer) op = -1;
  for (int a = 0; a < t.accesses; ++a) {
    const access_row& row = t.access[a];
    if (row.access != access_kind::out && row.access != access_kind::accumulate) continue;
    const int u = t.find_use(row.variable, t.op[row.op].stage);
    w.last_writer[u] = row.op;
    w.outs[u] += row.access == access_kind::out ? 1 : 0;
  }
  return w;
}

// Forward and learning-rate ops run as one sequence, in program order.
constexpr int run_order(op_group g) {
  return g == op_group::optimize ? 2 : g == op_group::backward ? 1 : 0;
}

template <class Table>
constexpr bool runs_before(const Table& t, int op, int other) {
  const int a = run_order(t.op[op].group), b = run_order(t.op[other].group);
  return a != b ? a < b : op < other;
}

constexpr bool is_read(access_kind a) { return a == access_kind::in || a == access_kind::inout; }

// The rules for one read of a per-micro-batch variable whose producing use is p.
template <class Table>
constexpr flow_rule check_flow(const Table& t, const access_row& row, int p, int last_writer) {
  const op_row& reader = t.op[row.op];
  const int from = t.use[p].stage, to = reader.stage;
  const bool made_backward = !t.use[p].made_forward();
  if (made_backward && reader.group == op_group::forward) {
    return flow_rule::forward_read_of_backward_value;
  }
  if (from == to) {
    if (runs_before(t, row.op, last_writer)) return flow_rule::read_before_written;
    const bool too_early = t.use[p].made_by_weights() && reader.group == op_group::backward &&
                           reader.half != backward_half::weight;
    return too_early ? flow_rule::weight_value_read_too_early : flow_rule::none;
  }
  if (!made_backward && reader.group == op_group::forward && to < from) {
    return flow_rule::forward_read_of_later_stage;
  }
  if (made_backward && to > from) {
    return from == 0 ? flow_rule::backward_send_from_first_stage
                     : flow_rule::backward_read_of_earlier_stage;
  }
  const bool changed = (t.use[p].updates & in_backward) != 0;
  if (!made_backward && changed && (to < from || reader.group == op_group::optimize)) {
    return flow_rule::changed_after_sending;
  }
  if (t.use[p].made_by_weights()) return flow_rule::weight_value_read_too_early;
  const value_facts& value = t.variable[row.variable].value;
  const unsigned read_again = made_backward ? in_optimize : (in_backward | in_optimize);
  const bool several_receivers =
      t.use[t.variable[row.variable].first_use].next != t.variable[row.variable].last_use;
  if (!value.copyable && ((t.use[p].reads & read_again) != 0 || several_receivers)) {
    return flow_rule::edge_not_transferable;
  }
  return flow_rule::none;
}

// The first broken rule, in the order in which ops are written.
template <class Table>
constexpr flow_fault find_flow_fault(const Table& t) {
  const auto writers = find_writers(t);
  for (int a = 0; a < t.accesses; ++a) {
    const access_row& row = t.access[a];
    const variable_row& v = t.variable[row.variable];
    const op_row& op = t.op[row.op];
    const int u = t.find_use(row.variable, op.stage);
    const use_row& use = t.use[u];
    const bool per_micro_batch = is_per_micro_batch(v.kind);
    const auto fault = [&](flow_rule r, int first, int second) {
      return flow_fault{r, a, first, second};
    };

    if (per_micro_batch && op.group == op_group::lr_schedule) {
      return fault(flow_rule::lr_schedule_reads_activation, op.stage, op.stage);
    }
    if ((allowed_groups(v.kind, row.access) & bit(op.group)) == 0) {
      const bool weights = v.kind == variable_kind::parameter || v.kind == variable_kind::state;
      return fault(weights && row.access != access_kind::accumulate
                       ? flow_rule::only_optimize_writes_parameters
                       : flow_rule::access_refused,
                   op.stage, op.stage);
    }
    if (is_stage_bound(v.kind) && v.first_use != v.last_use) {
      return fault(flow_rule::used_in_two_stages, t.use[v.first_use].stage,
                   t.use[v.last_use].stage);
    }
    if (writers.outs[u] > 1 || (writers.outs[u] > 0 && use.accumulates != 0)) {
      const bool is_writer =
          row.access == access_kind::out || row.access == access_kind::accumulate;
      if (is_writer && row.op == writers.last_writer[u]) {
        return fault(flow_rule::written_twice, op.stage, op.stage);
      }
    }
    if (per_micro_batch) {
      const int p = t.producer(row.variable);
      if (p < 0) {
        return fault(flow_rule::read_but_never_written, op.stage, op.stage);
      }
      if (p != u && row.access != access_kind::in) {
        return fault(flow_rule::written_in_two_stages, t.use[p].stage, op.stage);
      }
      if (is_read(row.access)) {
        const flow_rule r = check_flow(t, row, p, writers.last_writer[p]);
        if (r != flow_rule::none) return fault(r, t.use[p].stage, op.stage);
      }
    } else if (is_read(row.access)) {
      if (v.kind == variable_kind::gradient && use.accumulates == 0) {
        return fault(flow_rule::read_but_never_written, op.stage, op.stage);
      }
      if (v.kind == variable_kind::step_value && !use.produces()) {
        return fault(flow_rule::step_value_without_writer, op.stage, op.stage);
      }
      // A sum over micro-batches is complete when the optimizer runs.
      const bool partial_sum = v.kind == variable_kind::step_value && use.accumulates != 0 &&
                               op.group != op_group::optimize;
      if (v.kind == variable_kind::step_value &&
          (partial_sum || runs_before(t, row.op, writers.last_writer[u]))) {
        return fault(flow_rule::read_before_written, op.stage, op.stage);
      }
    }
  }
  return {};
}

template <class P>
inline constexpr flow_fault flow_fault_v = find_flow_fault(model_v<P>);

// Which rule speaks for an access that is allowed to no op of this role, by the variable's kind.
template <class P, int Access>
constexpr auto access_verdict() {
  using op = op_at<P, model_v<P>.access[Access].op>;
  using access = typename arguments_of<op>::template at<static_cast<std::size_t>(
      model_v<P>.access[Access].argument)>;
  constexpr variable_kind kind = accessed_variable<access>::kind;
  if constexpr (is_per_micro_batch(kind)) {
    return type_is<error::activation_access_refused<op, access, first_role<op>>>{};
  } else if constexpr (kind == variable_kind::gradient) {
    return type_is<error::gradient_access_refused<op, access, first_role<op>>>{};
  } else if constexpr (kind == variable_kind::step_value) {
    return type_is<error::step_value_access_refused<op, access, first_role<op>>>{};
  } else if constexpr (kind == variable_kind::buffer) {
    return type_is<error::buffer_access_refused<op, access, first_role<op>>>{};
  } else {
    return type_is<error::parameter_access_refused<op, access, first_role<op>>>{};
  }
}

// From the fault's numbers to the rule's named type.
template <class P>
constexpr auto verdict_on_flow() {
  constexpr flow_fault f = flow_fault_v<P>;
  if constexpr (f.rule == flow_rule::none) {
    return type_is<error::accepted>{};
  } else {
    using op = op_at<P, model_v<P>.access[f.access].op>;
    using v = variable_at<P, model_v<P>.access[f.access].variable>;
    using first = error::in_stage<f.first_stage>;
    using second = error::in_stage<f.second_stage>;
    if constexpr (f.rule == flow_rule::read_but_never_written) {
      return type_is<error::read_but_never_written<op, v, second>>{};
    } else if constexpr (f.rule == flow_rule::step_value_without_writer) {
      return type_is<error::step_value_without_writer<op, v, second>>{};
    } else if constexpr (f.rule == flow_rule::read_before_written) {
      return type_is<error::read_before_written<op, v, second>>{};
    } else if constexpr (f.rule == flow_rule::written_twice) {
      return type_is<error::written_twice<op, v, second>>{};
    } else if constexpr (f.rule == flow_rule::written_in_two_stages) {
      return type_is<error::written_in_two_stages<v, first, second>>{};
    } else if constexpr (f.rule == flow_rule::used_in_two_stages) {
      return type_is<error::used_in_two_stages<v, first, second>>{};
    } else if constexpr (f.rule == flow_rule::forward_read_of_later_stage) {
      return type_is<error::forward_read_of_later_stage<op, v, first, second>>{};
    } else if constexpr (f.rule == flow_rule::changed_after_sending) {
      return type_is<error::changed_after_sending<op, v, first, second>>{};
    } else if constexpr (f.rule == flow_rule::forward_read_of_backward_value) {
      return type_is<error::forward_read_of_backward_value<op, v>>{};
    } else if constexpr (f.rule == flow_rule::backward_send_from_first_stage) {
      return type_is<error::backward_send_from_first_stage<op, v, second>>{};
    } else if constexpr (f.rule == flow_rule::backward_read_of_earlier_stage) {
      return type_is<error::backward_read_of_earlier_stage<op, v, first, second>>{};
    } else if constexpr (f.rule == flow_rule::lr_schedule_reads_activation) {
      return type_is<error::lr_schedule_reads_activation<op, v>>{};
    } else if constexpr (f.rule == flow_rule::only_optimize_writes_parameters) {
      return type_is<error::only_optimize_writes_parameters<op, v>>{};
    } else if constexpr (f.rule == flow_rule::weight_value_read_too_early) {
      return type_is<error::weight_value_read_too_early<op, v>>{};
    } else if constexpr (f.rule == flow_rule::access_refused) {
      return access_verdict<P, f.access>();
    } else {
      return type_is<error::edge_not_transferable<v, first, second>>{};
    }
  }
}

}  // namespace backstitch::detail
