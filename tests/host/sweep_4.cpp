#include "host/sweep.hpp"

TEST_CASE("4 stages: every policy and micro-batch count equals the sequential loop") {
  chain::sweep<4>();
}
