// EXPECT: last_group_too_small<interleaved<2, 5>, needed<4>, got<1>, nearest<10>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

#ifdef BACKSTITCH_FAULT
using checked = bs::schedule<bs::interleaved<2, 5>, bs::ranks<4>, bs::micro_batches<11>>;
#else
using checked = bs::schedule<bs::interleaved<2, 5>, bs::ranks<4>, bs::micro_batches<10>>;
#endif
static_assert(sizeof(checked) != 0);
