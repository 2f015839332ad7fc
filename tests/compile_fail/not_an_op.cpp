// EXPECT: not_an_op<const idle>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct idle : bs::forward {
  void operator()() const {}
};

#ifdef BACKSTITCH_FAULT
using model = bs::pipeline<bs::stage<const idle>>;
#else
using model = bs::pipeline<bs::stage<idle>>;
#endif
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
