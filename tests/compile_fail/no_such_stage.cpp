// EXPECT: no_such_stage<got<2>, below<2>>
#include "backstitch/backstitch.hpp"

#include "lookup_model.hpp"

#ifdef BACKSTITCH_FAULT
static_assert(plan::slot_count<x, 2>() == 0);
#else
static_assert(plan::slot_count<x, 1>() >= 0);
#endif
