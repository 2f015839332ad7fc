// EXPECT: too_few_micro_batches<dual_pipe, needed<8>, got<6>, try_instead<dual_pipe>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

#ifdef BACKSTITCH_FAULT
using checked = bs::schedule<bs::dual_pipe, bs::ranks<4>, bs::micro_batches<6>>;
#else
using checked = bs::schedule<bs::dual_pipe, bs::ranks<4>, bs::micro_batches<8>>;
#endif
static_assert(sizeof(checked) != 0);
