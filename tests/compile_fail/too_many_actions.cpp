// EXPECT: too_many_actions<f_then_b, needed<16384>, got<20000>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct load : bs::forward {
  void operator()() const {}
};

using model = bs::pipeline<bs::stage<load>>;
#ifdef BACKSTITCH_FAULT
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<10000>>;
#else
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<100>>;
#endif
static_assert(sizeof(plan) != 0);
