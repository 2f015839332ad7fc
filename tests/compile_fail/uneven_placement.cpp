// EXPECT: uneven_placement<placement::map<0, 1, 1, 1>, on_rank<0>, needed<2>, got<1>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

#ifdef BACKSTITCH_FAULT
using checked = bs::schedule<bs::interleaved<2>, bs::ranks<2>, bs::micro_batches<4>,
                             bs::placement::map<0, 1, 1, 1>>;
#else
using checked = bs::schedule<bs::interleaved<2>, bs::ranks<2>, bs::micro_batches<4>,
                             bs::placement::map<0, 1, 0, 1>>;
#endif
static_assert(sizeof(checked) != 0);
