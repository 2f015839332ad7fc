// EXPECT: too_many_actions<f_then_b, at_most<24576>, got<80000>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct load : bs::forward {
  void operator()() const {}
};

using model = bs::pipeline<bs::stage<load>>;
#ifdef BACKSTITCH_FAULT
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<40000>>;
#else
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<100>>;
#endif
static_assert(sizeof(plan) != 0);
