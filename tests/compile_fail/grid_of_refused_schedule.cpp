// EXPECT: too_few_micro_batches<one_f_one_b, needed<4>, got<3>, try_instead<one_f_one_b_clamped>>
#include "backstitch/backstitch.hpp"
#include "backstitch/report/grid.hpp"

namespace bs = backstitch;

int main() {
#ifdef BACKSTITCH_FAULT
  using short_of_one = bs::schedule<bs::one_f_one_b, bs::ranks<4>, bs::micro_batches<3>>;
#else
  using short_of_one = bs::schedule<bs::one_f_one_b_clamped, bs::ranks<4>, bs::micro_batches<3>>;
#endif
  return bs::report::to_grid<short_of_one>().empty() ? 1 : 0;
}
