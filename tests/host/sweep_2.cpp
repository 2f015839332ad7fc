#include "host/sweep.hpp"

TEST_CASE("2 stages: every policy and micro-batch count equals the sequential loop") {
  chain::sweep<2>();
}
