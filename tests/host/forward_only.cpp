// Evaluation: forward ops only. No learning-rate, backward or optimize op runs, and what only a
// backward op would read is an output.
#include "backstitch/backstitch.hpp"
#include "backstitch/host/engine.hpp"

#include "support/chain_model.hpp"

#include <doctest/doctest.h>

namespace bs = backstitch;

TEST_CASE("an_evaluation_plan_runs_the_forward_ops") {
  constexpr int S = 3, M = 5;
  using plan = bs::plan<chain::model<S>, bs::forward_only, bs::micro_batches<M>>;
  static_assert(plan::peak_in_flight(0) == 1);
  bs::host::engine<plan> engine;
  chain::sequential loop(S, M);
  engine.step();
  loop.step();
  for (std::size_t m = 0; m < M; ++m) {
    CAPTURE(m);
    CHECK(engine.get<chain::loss_value>(m) == loop.losses[m]);
  }
  CHECK(engine.get<chain::loss_sum>() == loop.loss_sum);
  CHECK(engine.op<chain::scale<1>>().micro_batches.size() == M);
  CHECK(engine.op<chain::scale_back<1>>().micro_batches.empty());
  CHECK(engine.op<chain::sgd<1>>().micro_batches.empty());
  CHECK(engine.op<chain::decay, 0>().micro_batches.empty());
  // Nothing has trained.
  const chain::sequential untouched(S, M);
  for (std::size_t i = 0; i < chain::width; ++i) {
    CHECK(engine.get<chain::w<1>>()[i] == untouched.w[1][i]);
  }
}

// The schedule in README.
struct last_stage_first {
  template <class Sink>
  static constexpr void generate(bs::shape s, int rank, Sink& sink) {
    for (int m = 0; m < s.micro_batches; ++m) sink.forward(s.stage(rank, 0), m);
    for (int m = s.micro_batches; m-- > 0;) sink.backward(s.stage(rank, 0), m);
  }
};
static_assert(
    bs::schedule<last_stage_first, bs::ranks<4>, bs::micro_batches<8>>::peak_in_flight(0) == 8);
