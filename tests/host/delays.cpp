// Results do not depend on the speed of any rank: random delays before ops, 50 seeds, same bits.
#include "backstitch/host/engine.hpp"

#include "support/compare.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <thread>

namespace {

// Sleeps up to 200 us before about one op in four; a rank-local stream of its own.
struct sleeper : backstitch::host::no_observer {
  std::uint64_t state[8] = {};

  explicit sleeper(std::uint64_t seed) {
    for (std::uint64_t r = 0; r < 8; ++r) state[r] = seed * 1000003 + r * 7919 + 1;
  }
  template <class Plan, int Rank, int Op>
  void before_op(std::size_t) {
    std::uint64_t& s = state[Rank];
    s = s * 6364136223846793005ULL + 1442695040888963407ULL;
    if ((s >> 60) < 4) std::this_thread::sleep_for(std::chrono::microseconds((s >> 40) % 200));
  }
};

template <class Policy, int S, int M>
void check_seeds() {
  using plan = chain::bs::plan<chain::model<S>, Policy, chain::bs::micro_batches<M>>;
  chain::sequential wanted(S, M);
  for (int i = 0; i < 3; ++i) wanted.step();
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    chain::bs::host::engine<plan, sleeper> engine({}, sleeper(seed));
    engine.run(3);
    chain::check_equal(engine, wanted);
  }
}

}  // namespace

TEST_CASE("1F1B, 4 stages") { check_seeds<chain::bs::one_f_one_b, 4, 6>(); }
TEST_CASE("F-then-B, 3 stages") { check_seeds<chain::bs::f_then_b, 3, 5>(); }
TEST_CASE("clamped 1F1B, more stages than micro-batches") {
  check_seeds<chain::bs::one_f_one_b_clamped, 5, 3>();
}
