// EXPECT: group_too_large<interleaved<2, 9>, at_most<8>, got<9>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

#ifdef BACKSTITCH_FAULT
using checked = bs::schedule<bs::interleaved<2, 9>, bs::ranks<4>, bs::micro_batches<8>>;
#else
using checked = bs::schedule<bs::interleaved<2, 8>, bs::ranks<4>, bs::micro_batches<8>>;
#endif
static_assert(sizeof(checked) != 0);
