#include "host/sweep.hpp"

TEST_CASE("3 stages: every policy and micro-batch count equals the sequential loop") {
  chain::sweep<3>();
}
