// EXPECT: variable_not_in_plan<other>
#include "backstitch/backstitch.hpp"

#include "lookup_model.hpp"

#ifdef BACKSTITCH_FAULT
static_assert(plan::slot_count<other, 0>() == 0);
#else
static_assert(plan::slot_count<x, 0>() == 1);
#endif
