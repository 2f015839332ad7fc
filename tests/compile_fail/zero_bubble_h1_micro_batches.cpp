// EXPECT: too_few_micro_batches<zero_bubble_h1, needed<4>, got<3>, try_instead<one_f_one_b_clamped>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

#ifdef BACKSTITCH_FAULT
using checked = bs::schedule<bs::zero_bubble_h1, bs::ranks<4>, bs::micro_batches<3>>;
#else
using checked = bs::schedule<bs::zero_bubble_h1, bs::ranks<4>, bs::micro_batches<4>>;
#endif
static_assert(sizeof(checked) != 0);
