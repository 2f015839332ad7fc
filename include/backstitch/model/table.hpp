// The model as plain data: ops, accesses, variables, and the uses of a variable by a stage.
//
// Everything after this header works on these arrays; types come back only where an op is called
// and where an error names one.
#pragma once

#include "backstitch/model/op.hpp"
#include "backstitch/model/pipeline.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace backstitch::detail {

struct op_row {
  int stage = 0;
  role flags = role::forward;
  op_group group = op_group::forward;
  int first_access = 0;
  int accesses = 0;
};

struct access_row {
  int op = 0;
  int variable = 0;
  access_kind access = access_kind::in;
  int argument = 0;
};

struct variable_row {
  std::uint64_t hash = 0;
  variable_kind kind = variable_kind::activation;
  value_facts value = {};
  int access = 0;      // the first access that names it
  int first_use = -1;  // its uses, one per stage, linked by use_row::next
  int last_use = -1;
};

constexpr unsigned bit(op_group g) { return 1u << static_cast<int>(g); }

// What one stage does with one variable. Masks hold one bit per op group.
struct use_row {
  int variable = 0;
  int stage = 0;
  unsigned reads = 0;        // in, inout
  unsigned writes = 0;       // out
  unsigned updates = 0;      // inout
  unsigned accumulates = 0;  // accumulate
  int next = -1;
  constexpr bool produces() const { return (writes | accumulates) != 0; }
};

template <int Stages, int Ops, int Accesses>
struct model_table {
  int stages = Stages;
  int ops = 0;
  int accesses = 0;
  int variables = 0;
  int uses = 0;
  int first_op[Stages + 1] = {};
  op_row op[Ops + 1] = {};
  access_row access[Accesses + 1] = {};
  variable_row variable[Accesses + 1] = {};
  use_row use[Accesses + 1] = {};

  // The use of a variable by a stage, or -1. O(stages that name the variable).
  constexpr int find_use(int v, int stage) const {
    for (int u = variable[v].first_use; u >= 0; u = use[u].next) {
      if (use[u].stage == stage) return u;
    }
    return -1;
  }
  // The use by the stage that writes a per-micro-batch variable, or -1.
  constexpr int producer(int v) const {
    for (int u = variable[v].first_use; u >= 0; u = use[u].next) {
      if (use[u].produces()) return u;
    }
    return -1;
  }
};

constexpr int table_size_for(int entries) {
  int n = 8;
  while (n < 2 * entries) n *= 2;
  return n;
}
// Hash -> variable number, open addressing.
template <int Capacity>
struct variable_index {
  static constexpr int size = table_size_for(Capacity);
  std::uint64_t hash[size] = {};
  int number[size] = {};
  constexpr int find_or_insert(std::uint64_t h, int next_number) {
    int slot = static_cast<int>(h % std::uint64_t{size});
    while (hash[slot] != 0 && hash[slot] != h) slot = (slot + 1) % size;
    if (hash[slot] == 0) {
      hash[slot] = h;
      number[slot] = next_number;
    }
    return number[slot];
  }
};

// Pointers to the facts of each op; these are static objects, so the table builder is not a
// template over the ops.
struct op_source {
  int stage = 0;
  role flags = role::forward;
  const raw_access* access = nullptr;
  int accesses = 0;
};

template <int Stages, int Ops, int Accesses>
constexpr auto build_model_table(const op_source* sources) {
  model_table<Stages, Ops, Accesses> t;
  variable_index<Accesses + 1> index;
  for (int i = 0; i < Ops; ++i) {
    const op_source& s = sources[i];
    t.op[i] = {s.stage, s.flags, group_of(s.flags), t.accesses, s.accesses};
    ++t.first_op[s.stage + 1];
    for (int a = 0; a < s.accesses; ++a) {
      const raw_access& raw = s.access[a];
      const int v = index.find_or_insert(raw.variable, t.variables);
      variable_row& row = t.variable[v];
      if (v == t.variables) {
        row = {raw.variable, raw.kind, raw.value, t.accesses, -1, -1};
        ++t.variables;
      }
      // Ops come stage by stage, so a stage's use of v is always the latest one.
      if (row.last_use < 0 || t.use[row.last_use].stage != s.stage) {
        t.use[t.uses].variable = v;
        t.use[t.uses].stage = s.stage;
        (row.last_use < 0 ? row.first_use : t.use[row.last_use].next) = t.uses;
        row.last_use = t.uses++;
      }
      use_row& u = t.use[row.last_use];
      const unsigned b = bit(t.op[i].group);
      if (raw.access == access_kind::in || raw.access == access_kind::inout) u.reads |= b;
      if (raw.access == access_kind::out) u.writes |= b;
      if (raw.access == access_kind::inout) u.updates |= b;
      if (raw.access == access_kind::accumulate) u.accumulates |= b;
      t.access[t.accesses++] = {i, v, raw.access, raw.argument};
    }
  }
  t.ops = Ops;
  for (int s = 0; s < Stages; ++s) t.first_op[s + 1] += t.first_op[s];
  return t;
}

template <std::size_t N>
constexpr int sum_of(const int (&numbers)[N]) {
  int sum = 0;
  for (int n : numbers) sum += n;
  return sum;
}

template <class Stage>
struct stage_facts;
template <class... Ops>
struct stage_facts<stage<Ops...>> {
  static constexpr int ops = int{sizeof...(Ops)};
  static constexpr int accesses = sum_of({0, op_facts_v<Ops>.accesses...});
  static constexpr void append(op_source* out, int& n, int stage) {
    const op_source mine[] = {
        {stage, op_facts_v<Ops>.flags, op_facts_v<Ops>.access, op_facts_v<Ops>.accesses}...};
    for (const op_source& s : mine) out[n++] = s;
  }
};

template <class P>
struct model_of;
template <class... Stages>
struct model_of<pipeline<Stages...>> {
  static constexpr int ops = (0 + ... + stage_facts<Stages>::ops);
  static constexpr int accesses = (0 + ... + stage_facts<Stages>::accesses);
  static constexpr auto build() {
    op_source sources[ops + 1] = {};
    int n = 0, stage = 0;
    (stage_facts<Stages>::append(sources, n, stage++), ...);
    return build_model_table<int{sizeof...(Stages)}, ops, accesses>(sources);
  }
};

// The model table of a pipeline whose structure was accepted.
template <class P>
inline constexpr auto model_v = model_of<P>::build();

// Back from numbers to types.
template <class P, int Op>
struct op_type_at {
  static constexpr int stage = model_v<P>.op[Op].stage;
  static constexpr int within = Op - model_v<P>.first_op[stage];
  using type = typename stage_ops<P, std::size_t{stage}>::template at<std::size_t{within}>;
};
template <class P, int Op>
using op_at = typename op_type_at<P, Op>::type;

template <class P, int Access>
struct access_type_at {
  static constexpr access_row row = model_v<P>.access[Access];
  using type = typename arguments_of<op_at<P, row.op>>::template at<std::size_t{row.argument}>;
};

template <class P, int Variable>
struct variable_type_at {
  using type = typename access_type_at<P, model_v<P>.variable[Variable].access>::type::variable;
};
template <class P, int Variable>
using variable_at = typename variable_type_at<P, Variable>::type;

// The number of a variable type in a pipeline, or -1 if no op names it. O(variables).
template <class P, class V>
constexpr int find_variable() {
  const auto& t = model_v<P>;
  for (int v = 0; v < t.variables; ++v) {
    if (t.variable[v].hash == type_hash<V>()) return v;
  }
  return -1;
}
template <class P, class V>
inline constexpr int variable_number = find_variable<P, V>();

// The number of an op type in one stage, or -1.
template <class Op, class... Ops>
constexpr int position_of_op(type_list<Ops...>) {
  const bool same[] = {std::is_same_v<Op, Ops>...};
  for (int i = 0; i < int{sizeof...(Ops)}; ++i) {
    if (same[i]) return i;
  }
  return -1;
}
template <class P, class Op, int Stage>
constexpr int find_op() {
  constexpr int within = position_of_op<Op>(stage_ops<P, std::size_t{Stage}>{});
  return within < 0 ? -1 : model_v<P>.first_op[Stage] + within;
}

}  // namespace backstitch::detail
