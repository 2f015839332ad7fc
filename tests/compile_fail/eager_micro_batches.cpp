// EXPECT: too_few_micro_batches<eager_one_f_one_b, needed<7>, got<6>, try_instead<one_f_one_b_clamped>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

#ifdef BACKSTITCH_FAULT
using checked = bs::schedule<bs::eager_one_f_one_b, bs::ranks<4>, bs::micro_batches<6>>;
#else
using checked = bs::schedule<bs::eager_one_f_one_b, bs::ranks<4>, bs::micro_batches<7>>;
#endif
static_assert(sizeof(checked) != 0);
