// EXPECT: group_too_small<interleaved<2, 3>, needed<4>, got<3>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

#ifdef BACKSTITCH_FAULT
using checked = bs::schedule<bs::interleaved<2, 3>, bs::ranks<4>, bs::micro_batches<8>>;
#else
using checked = bs::schedule<bs::interleaved<2, 4>, bs::ranks<4>, bs::micro_batches<8>>;
#endif
static_assert(sizeof(checked) != 0);
