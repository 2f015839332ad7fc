// EXPECT: too_few_micro_batches<one_f_one_b, needed<4>, got<3>, try_instead<one_f_one_b_clamped>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

#ifdef BACKSTITCH_FAULT
using schedule = bs::schedule<bs::one_f_one_b, bs::ranks<4>, bs::micro_batches<3>>;
#else
using schedule = bs::schedule<bs::one_f_one_b_clamped, bs::ranks<4>, bs::micro_batches<3>>;
#endif
// One error, not one more for each of these.
static_assert(schedule::figures(bs::costs{.forward = 1, .backward = 2}).makespan == 18);
static_assert(schedule::figures().rank[0].peak_in_flight == 3 &&
              schedule::figures().rank[0].busy == 9);
static_assert(schedule::figures().bubble() == 0.5);
static_assert(schedule::peak_in_flight(3) == 1 && schedule::ideal_bubble() <= 0.5);
