// Runs a policy on the host engine, with a model whose backward splits, against a sequential loop.
#pragma once

#include "backstitch/backstitch.hpp"
#include "backstitch/host/engine.hpp"

#include "support/chain_model.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace policies {

namespace bs = backstitch;

// Whether the policy adds up gradients in the order of the micro-batches, so that no bit differs.
enum class sums { in_order, reordered };

inline void check_row(const float* ours, const std::array<float, chain::width>& wanted, sums order,
                      float terms) {
  for (std::size_t i = 0; i < chain::width; ++i) {
    CAPTURE(i);
    if (order == sums::in_order) {
      CHECK(ours[i] == wanted[i]);
    } else {
      // A sum of n terms of size s in another order: at most n * n * s * 2^-24, with some room for
      // what the step before it left.
      CHECK(std::fabs(ours[i] - wanted[i]) <= terms * terms * 8.0f * 6e-8f);
    }
  }
}

template <class Policy, int S, int M>
void check(sums order) {
  using plan = bs::plan<chain::model<S>, Policy, bs::micro_batches<M>>;
  CAPTURE(S);
  CAPTURE(M);
  bs::host::engine<plan> engine;
  chain::sequential loop(S, plan::micro_batches);
  for (int step = 0; step < 3; ++step) {
    CAPTURE(step);
    engine.step();
    loop.step();
    const auto check_stage = [&]<int L>() {
      CAPTURE(L);
      const auto terms = static_cast<float>(plan::micro_batches);
      check_row(engine.template get<chain::dw<L>>(), loop.dw[L], order, terms);
      check_row(engine.template get<chain::w<L>>(), loop.w[L], order, terms);
      check_row(engine.template get<chain::momentum<L>>(), loop.v[L], order, terms);
    };
    [&]<int... L>(std::integer_sequence<int, L...>) { (check_stage.template operator()<L>(), ...); }
    (std::make_integer_sequence<int, S>{});
    const float loss = engine.template get<chain::loss_sum>();
    if (order == sums::in_order) {
      CHECK(loss == loop.loss_sum);
    } else {
      CHECK(loss == doctest::Approx(loop.loss_sum).epsilon(1e-6));
    }
  }
}

}  // namespace policies
