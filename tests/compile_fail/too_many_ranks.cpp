// EXPECT: too_many_ranks<f_then_b, at_most<256>, got<512>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

#ifdef BACKSTITCH_FAULT
using checked = bs::schedule<bs::f_then_b, bs::ranks<512>, bs::micro_batches<1>>;
#else
using checked = bs::schedule<bs::f_then_b, bs::ranks<16>, bs::micro_batches<1>>;
#endif
static_assert(sizeof(checked) != 0);
