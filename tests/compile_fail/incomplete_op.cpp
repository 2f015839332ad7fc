// EXPECT: not_an_op<load>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

#ifdef BACKSTITCH_FAULT
struct load;
#else
struct load : bs::forward {
  void operator()() const {}
};
#endif

using plan = bs::plan<bs::pipeline<bs::stage<load>>, bs::f_then_b, bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
