// EXPECT: micro_batches_not_a_multiple<interleaved<2>, multiple_of<2>, got<9>, nearest<10>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

#ifdef BACKSTITCH_FAULT
using checked = bs::schedule<bs::interleaved<2>, bs::ranks<4>, bs::micro_batches<9>>;
#else
using checked = bs::schedule<bs::interleaved<2>, bs::ranks<4>, bs::micro_batches<8>>;
#endif
static_assert(sizeof(checked) != 0);
