// EXPECT: not_ranks<micro_batches<4>>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

#ifdef BACKSTITCH_FAULT
using proven = bs::schedule<bs::f_then_b, bs::micro_batches<4>, bs::micro_batches<4>>;
#else
using proven = bs::schedule<bs::f_then_b, bs::ranks<4>, bs::micro_batches<4>>;
#endif

static_assert(sizeof(proven) != 0);
