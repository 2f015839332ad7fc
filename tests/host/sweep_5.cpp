#include "host/sweep.hpp"

TEST_CASE("5 stages: every policy and micro-batch count equals the sequential loop") {
  chain::sweep<5>();
}
