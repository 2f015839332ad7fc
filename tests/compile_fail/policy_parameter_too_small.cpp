// EXPECT: policy_parameter_too_small<many, needed<1>, got<0>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct many : bs::one_f_one_b {
  static constexpr int chunks = 0;
};
#ifdef BACKSTITCH_FAULT
using checked = bs::schedule<many, bs::ranks<2>, bs::micro_batches<4>>;
#else
using checked = bs::schedule<bs::one_f_one_b, bs::ranks<2>, bs::micro_batches<4>>;
#endif
static_assert(sizeof(checked) != 0);
