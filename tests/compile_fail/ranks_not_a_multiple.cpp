// EXPECT: ranks_not_a_multiple<dual_pipe, multiple_of<2>, got<3>, nearest<4>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

#ifdef BACKSTITCH_FAULT
using checked = bs::schedule<bs::dual_pipe, bs::ranks<3>, bs::micro_batches<8>>;
#else
using checked = bs::schedule<bs::dual_pipe, bs::ranks<4>, bs::micro_batches<8>>;
#endif
static_assert(sizeof(checked) != 0);
