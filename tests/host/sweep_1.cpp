#include "host/sweep.hpp"

TEST_CASE("1 stages: every policy and micro-batch count equals the sequential loop") {
  chain::sweep<1>();
}
