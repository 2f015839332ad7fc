// EXPECT: too_few_micro_batches<dual_pipe_v, needed<8>, got<7>, try_instead<dual_pipe_v>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

#ifdef BACKSTITCH_FAULT
using checked = bs::schedule<bs::dual_pipe_v, bs::ranks<4>, bs::micro_batches<7>>;
#else
using checked = bs::schedule<bs::dual_pipe_v, bs::ranks<4>, bs::micro_batches<8>>;
#endif
static_assert(sizeof(checked) != 0);
