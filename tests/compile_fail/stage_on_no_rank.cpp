// EXPECT: stage_on_no_rank<placement::map<0, 1, 4, 3>, in_stage<2>, got<4>, at_most<3>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

#ifdef BACKSTITCH_FAULT
using checked = bs::schedule<bs::one_f_one_b, bs::ranks<4>, bs::micro_batches<8>,
                             bs::placement::map<0, 1, 4, 3>>;
#else
using checked = bs::schedule<bs::one_f_one_b, bs::ranks<4>, bs::micro_batches<8>,
                             bs::placement::map<0, 1, 2, 3>>;
#endif
static_assert(sizeof(checked) != 0);
