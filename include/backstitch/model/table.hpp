// The model as plain data: ops, accesses, variables, and the uses of a variable by a stage.
//
// Everything after this header works on these arrays; types come back only where an op is called
// and where an error names one.
#pragma once

#include "backstitch/extent.hpp"
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
  backward_half half = backward_half::none;
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
// Beside the bit of its group, a backward op has one of its half; one that cannot be split has
// both.
inline constexpr unsigned in_input_half = 1u << 4;
inline constexpr unsigned in_weight_half = 1u << 5;
constexpr unsigned bits_of(op_group g, backward_half h) {
  return bit(g) | (h == backward_half::input || h == backward_half::both ? in_input_half : 0u) |
         (h == backward_half::weight || h == backward_half::both ? in_weight_half : 0u);
}

// What one stage does with one variable. Masks hold the bits of the ops.
struct use_row {
  int variable = 0;
  int stage = 0;
  unsigned reads = 0;        // in, inout
  unsigned writes = 0;       // out
  unsigned updates = 0;      // inout
  unsigned accumulates = 0;  // accumulate
  int next = -1;
  constexpr bool produces() const { return (writes | accumulates) != 0; }
  // Of a use that produces: in its forward phase, else in its backward.
  constexpr bool made_forward() const {
    return ((writes | accumulates) & bit(op_group::forward)) != 0;
  }
  // Of a use that produces: by ops of the weight half only.
  constexpr bool made_by_weights() const {
    return !made_forward() && ((writes | accumulates) & in_input_half) == 0;
  }
};

template <int Stages, int Ops, int Accesses>
struct model_table {
  int stages = Stages;
  int ops = 0;
  int accesses = 0;
  int variables = 0;
  int uses = 0;
  int first_op[extent(Stages + 1)] = {};
  op_row op[extent(Ops + 1)] = {};
  access_row access[extent(Accesses + 1)] = {};
  variable_row variable[extent(Accesses + 1)] = {};
  use_row use[extent(Accesses + 1)] = {};

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
  std::uint64_t hash[extent(size)] = {};
  int number[extent(size)] = {};
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
  backward_half half = backward_half::none;
  const raw_access* access = nullptr;
  int accesses = 0;
};

// Apart from the hash, a variable is told by a salt per access: see model_pass.
template <int Accesses>
struct access_salts {
  std::uint64_t at[extent(Accesses + 1)] = {};
};

template <int Stages, int Ops, int Accesses>
constexpr auto build_model_table(const op_source* sources, const access_salts<Accesses>& salts) {
  model_table<Stages, Ops, Accesses> t;
  variable_index<Accesses + 1> index;
  for (int i = 0; i < Ops; ++i) {
    const op_source& s = sources[i];
    t.op[i] = {s.stage, s.flags, group_of(s.flags), s.half, t.accesses, s.accesses};
    ++t.first_op[s.stage + 1];
    for (int a = 0; a < s.accesses; ++a) {
      const raw_access& raw = s.access[a];
      const int v = index.find_or_insert(raw.variable + salts.at[t.accesses], t.variables);
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
      const unsigned b = bits_of(t.op[i].group, s.half);
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
    const op_source mine[] = {{stage, op_facts_v<Ops>.flags, op_facts_v<Ops>.half,
                               op_facts_v<Ops>.access, op_facts_v<Ops>.accesses}...};
    for (const op_source& s : mine) out[n++] = s;
  }
};

template <class P>
struct model_of;
template <class... Stages>
struct model_of<pipeline<Stages...>> {
  static constexpr int ops = (0 + ... + stage_facts<Stages>::ops);
  static constexpr int accesses = (0 + ... + stage_facts<Stages>::accesses);
  static constexpr auto build(const access_salts<accesses>& salts) {
    op_source sources[extent(ops + 1)] = {};
    int n = 0, stage = 0;
    (stage_facts<Stages>::append(sources, n, stage++), ...);
    return build_model_table<int{sizeof...(Stages)}, ops, accesses>(sources, salts);
  }
};

// Different types can print alike. Each pass tells one more of them apart: accesses whose type is
// not that of the first access to their variable get a salt that makes them another variable. The
// first pass is nearly always the last.
template <class P, int Pass>
struct model_pass;

// Back from numbers to types. Which op and argument an access is does not depend on the pass.
template <class P, int Op>
struct op_type_at {
  static constexpr const auto& model = model_pass<P, 0>::table;
  static constexpr int stage = model.op[Op].stage;
  static constexpr int within = Op - model.first_op[stage];
  using type = typename stage_ops<P, static_cast<std::size_t>(
                                         stage)>::template at<static_cast<std::size_t>(within)>;
};
template <class P, int Op>
using op_at = typename op_type_at<P, Op>::type;

template <class P, int Access>
struct access_type_at {
  static constexpr access_row row = model_pass<P, 0>::table.access[Access];
  using type = accessed_variable<
      typename arguments_of<op_at<P, row.op>>::template at<static_cast<std::size_t>(row.argument)>>;
};

template <int Accesses>
struct access_flags {
  bool at[extent(Accesses + 1)] = {};
};

template <class P, int Pass>
struct model_pass {
  static constexpr int accesses = model_of<P>::accesses;
  using all_accesses = std::make_index_sequence<static_cast<std::size_t>(accesses)>;

  static constexpr access_salts<accesses> salts() {
    access_salts<accesses> s;
    if constexpr (Pass > 0) {
      using before = model_pass<P, Pass - 1>;
      s = before::salts();
      constexpr auto same = before::same_types(all_accesses{});
      for (int a = 0; a < accesses; ++a) {
        if (!same.at[a]) s.at[a] = std::uint64_t{Pass};
      }
    }
    return s;
  }
  static constexpr auto table = model_of<P>::build(salts());

  template <int Access>
  static constexpr bool same_type = std::is_same_v<
      typename access_type_at<P, Access>::type,
      typename access_type_at<P, table.variable[table.access[Access].variable].access>::type>;
  template <std::size_t... As>
  static constexpr auto same_types(std::index_sequence<As...>) {
    return access_flags<accesses>{{same_type<static_cast<int>(As)>..., true}};
  }
  static constexpr bool settled() {
    constexpr auto same = same_types(all_accesses{});
    for (bool s : same.at) {
      if (!s) return false;
    }
    return true;
  }
};

template <class P, int Pass>
constexpr const auto& settle_model() {
  if constexpr (model_pass<P, Pass>::settled()) {
    return model_pass<P, Pass>::table;
  } else {
    return settle_model<P, Pass + 1>();
  }
}

// The model table of a pipeline whose structure was accepted.
template <class P>
inline constexpr const auto& model_v = settle_model<P, 0>();

template <class P, int Variable>
using variable_at = typename access_type_at<P, model_v<P>.variable[Variable].access>::type;

// The first variable from `from` on that prints like the hashed type, or -1.
template <class Table>
constexpr int next_with_hash(const Table& t, std::uint64_t hash, int from) {
  for (int v = from; v < t.variables; ++v) {
    if (t.variable[v].hash == hash) return v;
  }
  return -1;
}
template <class P, class V, int From = 0>
constexpr int find_variable() {
  constexpr int v = next_with_hash(model_v<P>, type_hash<V>(), From);
  if constexpr (v < 0) {
    return -1;
  } else if constexpr (std::is_same_v<V, variable_at<P, v>>) {
    return v;
  } else {
    return find_variable<P, V, v + 1>();
  }
}
// The number of a variable type in a pipeline, or -1 if no op names it. O(variables).
template <class P, class V>
inline constexpr int variable_number = find_variable<P, V>();

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
  constexpr int within = position_of_op<Op>(stage_ops<P, static_cast<std::size_t>(Stage)>{});
  return within < 0 ? -1 : model_v<P>.first_op[Stage] + within;
}

}  // namespace backstitch::detail
