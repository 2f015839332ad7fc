// Compares an engine over chain::model with the sequential loop, bit by bit, and checks that every
// op ran exactly once per micro-batch.
#pragma once

#include "support/chain_model.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace chain {

inline bool same_bits(const row& a, const std::array<float, width>& b) {
  return std::memcmp(&a, b.data(), sizeof(row)) == 0;
}

// 0 .. M-1, `steps` times over.
inline std::vector<std::size_t> in_order(std::size_t micro_batches, std::size_t steps) {
  std::vector<std::size_t> all;
  for (std::size_t s = 0; s < steps; ++s) {
    for (std::size_t m = 0; m < micro_batches; ++m) all.push_back(m);
  }
  return all;
}

template <int L, class Engine>
void check_stage(Engine& engine, const sequential& wanted) {
  constexpr auto stage = std::size_t{L};
  const auto M = wanted.micro_batches;
  CAPTURE(stage);
  CHECK(same_bits(engine.template get<w<L>>(), wanted.w[stage]));
  CHECK(same_bits(engine.template get<dw<L>>(), wanted.dw[stage]));
  CHECK(same_bits(engine.template get<momentum<L>>(), wanted.v[stage]));
  CHECK(engine.template get<lr>(stage) == rate_at(wanted.steps - 1));

  const auto every = in_order(M, wanted.steps);
  CHECK(engine.template op<scale<L>>().micro_batches == every);
  CHECK(engine.template op<scale_back<L>>().micro_batches == every);
  // Once per step: with micro-batch 0, and in the scope of the last one.
  const std::vector<std::size_t> first(wanted.steps, 0), last(wanted.steps, M - 1);
  CHECK(engine.template op<decay, stage>().micro_batches == first);
  CHECK(engine.template op<sgd<L>>().micro_batches == last);
  std::vector<std::size_t> steps(wanted.steps);
  std::iota(steps.begin(), steps.end(), std::size_t{0});
  CHECK(engine.template op<decay, stage>().steps == steps);
  CHECK(engine.template op<sgd<L>>().steps == steps);
}

template <class Engine, int... L>
void check_equal(Engine& engine, const sequential& wanted, std::integer_sequence<int, L...>) {
  (check_stage<L>(engine, wanted), ...);
  CHECK(engine.template op<load>().micro_batches == in_order(wanted.micro_batches, wanted.steps));
  for (std::size_t m = 0; m < wanted.micro_batches; ++m) {
    CHECK(engine.template get<loss_value>(m) == wanted.losses[m]);
  }
  CHECK(engine.template get<loss_sum>() == wanted.loss_sum);
  CHECK(engine.steps() == wanted.steps);
}

template <class Engine>
void check_equal(Engine& engine, const sequential& wanted) {
  check_equal(engine, wanted, std::make_integer_sequence<int, Engine::plan_type::stages>{});
}

}  // namespace chain
