// S stages, M = 1 .. 8, every policy: bit-identical to the sequential loop, every op exactly once.
// One file per S, so that they compile side by side.
#pragma once

#include "backstitch/host/engine.hpp"

#include "support/compare.hpp"

namespace chain {

template <class Policy, int S, int M>
void check_plan(const char* policy) {
  CAPTURE(policy);
  CAPTURE(S);
  CAPTURE(M);
  using plan = bs::plan<model<S>, Policy, bs::micro_batches<M>>;
  sequential wanted(S, M);
  bs::host::engine<plan> engine;
  engine.step();
  engine.run(3);
  for (int i = 0; i < 4; ++i) wanted.step();
  check_equal(engine, wanted);
}

template <int S, int M>
void check_policies() {
  check_plan<bs::f_then_b, S, M>("f_then_b");
  // The same order where both are legal, so each size is run once under one of the names.
  if constexpr (M >= S) {
    check_plan<bs::one_f_one_b, S, M>("one_f_one_b");
  } else {
    check_plan<bs::one_f_one_b_clamped, S, M>("one_f_one_b_clamped");
  }
}

template <int S, int... M>
void sweep(std::integer_sequence<int, M...>) {
  (check_policies<S, M + 1>(), ...);
}
// 8 covers, for S <= 6, fewer micro-batches than stages, M = warm-up, + 1 and + 2, and more.
template <int S>
void sweep() {
  sweep<S>(std::make_integer_sequence<int, 8>{});
}

}  // namespace chain
