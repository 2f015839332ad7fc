// Runs one rank's program: the loops over its ops, with the rank's messages handed to a transport.
//
// The loops are found at compile time and everything is inlined into them: no table is read, no
// variable looked up, nothing allocated. All engines share this code; an engine is a transport and
// a place to run.
//
// A transport has, for constant edge numbers E and a micro-batch m:
//
//   begin_receive<E>(m)      the receive stands here in the plan; must not block
//   wait<E>(m)               before the first op that reads the value: it is there
//   send<E, Last>(m, value)  the value leaves; `Last`: the source is dead afterwards
//   release<E>(m)            the received value's slot is free again
//   lent<E>(m)               the writing stage's own slot, where a value is read in place
//   reduce<S>()              adds up what stage S of the model sums over the step, over its copies
//   call<I>(m, f)            runs op I of the model by calling f()
//   released<U>(m)           a value's last reader is done (for observers)
#pragma once

#include "backstitch/model/access.hpp"
#include "backstitch/program/plan.hpp"
#include "backstitch/program/store.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace backstitch::detail {

template <class Plan, int Rank, class Transport>
class worker {
 public:
  using pipeline = typename Plan::model_type;
  static constexpr bool shared_memory = Transport::shared_memory;
  using store_type = rank_store<Plan, Rank, shared_memory>;

  constexpr worker(store_type& store, Transport& transport)
      : store_(store), transport_(transport) {}

  // One step: all micro-batches, then the update. `step` counts the steps before it.
  // On a copy, whose address goes nowhere: its references stay in registers, where those of an
  // object in memory would be read again after every write that might have changed them.
  constexpr void run_step(std::size_t step) const {
    worker local(*this);
    local.step_ = step;
    local.run();
  }

 private:
  [[gnu::always_inline]] constexpr void run() {
    reset(0, uses_with<summed_over_step>{});
    run_segments(std::make_index_sequence<static_cast<std::size_t>(segments.count)>{});
  }

  static constexpr const auto& model = model_v<pipeline>;
  static constexpr const auto& edges = edges_v<pipeline>;
  static constexpr const auto& links_of_edges = joined_v<pipeline>;
  static constexpr const auto& held = slots_v<Plan, shared_memory>;
  static constexpr const action* list = Plan::lowered().list[Rank];
  static constexpr const auto& segments = segments_v<Plan, Rank>;
  static constexpr std::size_t micro_batch_total = std::size_t{Plan::micro_batches};

  store_type& store_;
  Transport& transport_;
  std::size_t step_ = 0;

  // Numbers of edges, uses or ops that a predicate picks, as a pack to expand.
  template <int... Is>
  using numbers = std::integer_sequence<int, Is...>;
  template <class Accept>
  using edges_with = selected<Accept, edges.count>;
  template <class Accept>
  using uses_with = selected<Accept, model.uses>;
  template <class Accept>
  using ops_with = selected<Accept, model.ops>;

  // -- loops

  template <std::size_t... Ss>
  [[gnu::always_inline]] constexpr void run_segments(std::index_sequence<Ss...>) {
    [[maybe_unused]] const int order[] = {0, (run_segment<Ss>(), 0)...};
  }

  // The loop counts in the micro-batches of the body's first action, as one would by hand.
  template <std::size_t S>
  [[gnu::always_inline]] constexpr void run_segment() {
    constexpr segment s = segments.at[S];
    constexpr auto body = std::make_index_sequence<static_cast<std::size_t>(s.period)>{};
    constexpr auto first = static_cast<std::size_t>(list[s.first].micro_batch);
    constexpr auto runs = static_cast<std::size_t>(s.repeats);
    if constexpr (s.repeats == 1) {
      run_body<S>(first, body);
    } else if constexpr (s.stride >= 0) {
      constexpr auto stride = static_cast<std::size_t>(s.stride);
      for (std::size_t m = first; m != first + runs * stride; m += stride) run_body<S>(m, body);
    } else {
      constexpr auto stride = static_cast<std::size_t>(-s.stride);
      for (std::size_t m = first + stride; m != first + stride - runs * stride; m -= stride) {
        run_body<S>(m - stride, body);
      }
    }
  }

  template <std::size_t S, std::size_t... Js>
  [[gnu::always_inline]] constexpr void run_body(std::size_t m, std::index_sequence<Js...>) {
    constexpr int first = segments.at[S].first;
    [[maybe_unused]] const int order[] = {
        (run_action<first + static_cast<int>(Js), list[first].micro_batch>(m), 0)...};
  }

  // `base` is the micro-batch of the body's first action in the list, `first` the one it has now.
  template <int Position, int Base>
  [[gnu::always_inline]] constexpr void run_action(std::size_t first) {
    constexpr action a = list[Position];
    constexpr int offset = a.micro_batch - Base;
    const std::size_t m = offset >= 0 ? first + static_cast<std::size_t>(offset)
                                      : first - static_cast<std::size_t>(-offset);
    if constexpr (a.kind == action_kind::forward) {
      // Learning-rate ops run with the first micro-batch, which the loops then leave out.
      run_forward<a.stage, runs_lr<Plan>::test(a)>(m);
    } else if constexpr (a.kind == action_kind::backward) {
      run_backward<a.stage, true, true>(m);
    } else if constexpr (a.kind == action_kind::backward_input) {
      run_backward<a.stage, true, false>(m);
    } else if constexpr (a.kind == action_kind::backward_weight) {
      run_backward<a.stage, false, true>(m);
    } else if constexpr (a.kind == action_kind::update) {
      call_ops(m, ops_with<updating<a.stage>>{});
      release_values<true>(m, uses_with<dead_after_update<a.stage>>{});
    } else if constexpr (a.kind == action_kind::reduce) {
      transport_.template reduce<a.stage % (model.stages / Plan::pipes)>();
    } else if constexpr (is_send(a.kind)) {
      send_link<a.link>(m);
    } else if constexpr (is_receive(a.kind)) {
      begin_receives(m, edges_with<on_link<a.link>>{});
    }
  }

  // -- ops

  template <int Stage, bool WithLr>
  struct going_forward {
    static constexpr bool test(int i) {
      return model.op[i].stage == Stage && (model.op[i].group == op_group::forward ||
                                            (WithLr && model.op[i].group == op_group::lr_schedule));
    }
  };
  // The halves of a backward; an op of both runs with either, since only whole backwards run it.
  template <int Stage, bool Input, bool Weight>
  struct going_backward {
    static constexpr bool test(int i) {
      const op_row& op = model.op[i];
      if (op.stage != Stage || op.group != op_group::backward) return false;
      return op.half == backward_half::weight ? Weight : Input;
    }
  };
  template <int Stage>
  struct updating {
    static constexpr bool test(int i) {
      return model.op[i].stage == Stage && model.op[i].group == op_group::optimize;
    }
  };

  template <int Stage, bool WithLr>
  [[gnu::always_inline]] constexpr void run_forward(std::size_t m) {
    wait_for(m, edges_with<arriving<Stage, false>>{});
    reset(m, uses_with<fresh_before_forward<Stage>>{});
    call_ops(m, ops_with<going_forward<Stage, WithLr>>{});
    release_values<false>(m, uses_with<dead_after<Stage, last_event::forward, -1>>{});
  }
  template <int Stage, bool Input, bool Weight>
  [[gnu::always_inline]] constexpr void run_backward(std::size_t m) {
    if constexpr (Input) wait_for(m, edges_with<arriving<Stage, true>>{});
    reset(m, uses_with<fresh_before_backward<Stage, Input, Weight>>{});
    call_ops(m, ops_with<going_backward<Stage, Input, Weight>>{});
    if constexpr (Input) {
      release_values<false>(m, uses_with<dead_after<Stage, last_event::input, -1>>{});
    }
    if constexpr (Weight) {
      release_values<false>(m, uses_with<dead_after<Stage, last_event::weight, -1>>{});
    }
  }

  template <int... Is>
  [[gnu::always_inline]] constexpr void call_ops([[maybe_unused]] std::size_t m, numbers<Is...>) {
    [[maybe_unused]] const int order[] = {
        0, (call_op<Is>(m, std::make_index_sequence<arguments_of<op_at<pipeline, Is>>::size>{}),
            0)...};
  }

  template <int Number, std::size_t... As>
  [[gnu::always_inline]] constexpr void call_op(std::size_t m, std::index_sequence<As...>) {
    using arguments = arguments_of<op_at<pipeline, Number>>;
    // clang-format off
    transport_.template call<Number>(m, [&]() __attribute__((always_inline)) {
      store_.template op<Number>()(make_argument<Number, typename arguments::template at<As>>(m)...);
    });
    // clang-format on
  }

  template <int Number, class Arg>
  [[gnu::always_inline]] constexpr Arg make_argument([[maybe_unused]] std::size_t m) {
    if constexpr (std::is_same_v<Arg, micro_batch>) {
      return Arg(m);
    } else if constexpr (std::is_same_v<Arg, step_index>) {
      return Arg(step_);
    } else if constexpr (std::is_same_v<Arg, micro_batch_count>) {
      return Arg(micro_batch_total);
    } else if constexpr (std::is_same_v<Arg, stage_index>) {
      return Arg(static_cast<std::size_t>(model.op[Number].stage % Plan::stages));
    } else {
      // Numbers of a copy of the model follow those of the one before.
      constexpr int copy = Number / (model.ops / Plan::pipes);
      constexpr int v = variable_number<pipeline, typename Arg::variable> +
                        copy * (model.variables / Plan::pipes);
      constexpr int u = model.find_use(v, model.op[Number].stage);
      if constexpr (held.use[u].lent) {
        return Arg(transport_.template lent<held.use[u].edge>(m));
      } else {
        return Arg(store_.template value<u>(m));
      }
    }
  }

  // -- messages

  template <int Link>
  struct on_link {
    static constexpr bool test(int e) { return links_of_edges.link_of[e] == Link; }
  };
  static constexpr int rank_of(int stage) { return Plan::rank_of(stage); }
  // Edges whose value must be there before a phase of a stage.
  template <int Stage, bool Backward>
  struct arriving {
    static constexpr bool test(int e) {
      return edges.edge[e].to == Stage && edges.edge[e].used_forward == !Backward &&
             rank_of(edges.edge[e].from) != Rank;
    }
  };

  // Whether the source is dead after this send.
  static constexpr bool is_last_send(int u, int number) {
    return !held.use[u].kept && !held.use[u].until_update && held.use[u].last == last_event::send &&
           held.use[u].last_link == number;
  }

  template <int Link>
  [[gnu::always_inline]] constexpr void send_link(std::size_t m) {
    send_values<Link>(m, edges_with<on_link<Link>>{});
    constexpr int from = links_of_edges.table.at[Link].from;
    release_values<false>(m, uses_with<dead_after<from, last_event::send, Link>>{});
  }

  template <int Link, int... Es>
  [[gnu::always_inline]] constexpr void send_values([[maybe_unused]] std::size_t m,
                                                    numbers<Es...>) {
    [[maybe_unused]] const int order[] = {
        0, (transport_.template send<Es, is_last_send(sender_use<pipeline>(Es), Link)>(
                m, store_.template value<sender_use<pipeline>(Es)>(m)),
            0)...};
  }
  template <int... Es>
  [[gnu::always_inline]] constexpr void begin_receives([[maybe_unused]] std::size_t m,
                                                       numbers<Es...>) {
    [[maybe_unused]] const int order[] = {0, (transport_.template begin_receive<Es>(m), 0)...};
  }
  template <int... Es>
  [[gnu::always_inline]] constexpr void wait_for([[maybe_unused]] std::size_t m, numbers<Es...>) {
    [[maybe_unused]] const int order[] = {0, (transport_.template wait<Es>(m), 0)...};
  }

  // -- lifetimes

  static constexpr bool trivial(int u) {
    return model.variable[model.use[u].variable].value.trivial_destroy;
  }
  // Sums over a step.
  struct summed_over_step {
    static constexpr bool test(int u) {
      return rank_of(model.use[u].stage) == Rank && model.use[u].accumulates != 0 &&
             held.use[u].how == holding::lasting;
    }
  };
  template <int... Us>
  [[gnu::always_inline]] constexpr void reset([[maybe_unused]] std::size_t m, numbers<Us...>) {
    [[maybe_unused]] const int order[] = {0, (reset_value(store_.template value<Us>(m)), 0)...};
  }
  // Sums over one micro-batch, and objects that still hold an old value since nobody released them.
  static constexpr bool needs_reset(int u) {
    const slot_plan& p = held.use[u];
    if (p.how != holding::produced) return false;
    return model.use[u].accumulates != 0 ||
           ((p.kept || p.last == last_event::unknown) && !trivial(u));
  }
  template <int Stage>
  struct fresh_before_forward {
    static constexpr bool test(int u) {
      return model.use[u].stage == Stage && model.use[u].made_forward() && needs_reset(u);
    }
  };
  template <int Stage, bool Input, bool Weight>
  struct fresh_before_backward {
    static constexpr bool test(int u) {
      const use_row& use = model.use[u];
      if (use.stage != Stage || use.made_forward() || !needs_reset(u)) return false;
      return use.made_by_weights() ? Weight : Input;
    }
  };
  // Values whose last reader is this action.
  template <int Stage, last_event Event, int Link>
  struct dead_after {
    static constexpr bool test(int u) {
      const slot_plan& p = held.use[u];
      if (p.how != holding::produced && p.how != holding::received) return false;
      return p.last == Event && p.last_stage == Stage && p.last_link == Link;
    }
  };
  template <int Stage>
  struct dead_after_update {
    static constexpr bool test(int u) {
      const slot_plan& p = held.use[u];
      if (p.how != holding::produced && p.how != holding::received) return false;
      return p.until_update && p.last != last_event::unknown && model.use[u].stage == Stage;
    }
  };
  template <bool AfterUpdate, int... Us>
  [[gnu::always_inline]] constexpr void release_values([[maybe_unused]] std::size_t m,
                                                       numbers<Us...>) {
    [[maybe_unused]] const int order[] = {0, (release_value<Us, AfterUpdate>(m), 0)...};
  }
  template <int U, bool AfterUpdate>
  [[gnu::always_inline]] constexpr void release_value(std::size_t m) {
    constexpr slot_plan planned = held.use[U];
    // The optimizer still reads the value of the last micro-batch.
    constexpr auto last =
        static_cast<std::size_t>(Plan::sizes().first_micro_batch(model.use[U].stage) +
                                 Plan::sizes().micro_batches_per_stage() - 1);
    if (planned.until_update && !AfterUpdate && m == last) return;
    if constexpr (!planned.kept) {
      if constexpr (!trivial(U)) reset_value(store_.template value<U>(m));
      transport_.template released<U>(m);
    }
    if constexpr (planned.how == holding::received) transport_.template release<planned.edge>(m);
  }
};

}  // namespace backstitch::detail
