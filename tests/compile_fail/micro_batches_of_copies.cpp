// EXPECT: micro_batches_not_a_multiple<chimera<4>, multiple_of<4>, got<6>, nearest<4>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

#ifdef BACKSTITCH_FAULT
using checked = bs::schedule<bs::chimera<4>, bs::ranks<4>, bs::micro_batches<6>>;
#else
using checked = bs::schedule<bs::chimera<4>, bs::ranks<4>, bs::micro_batches<8>>;
#endif
static_assert(sizeof(checked) != 0);
