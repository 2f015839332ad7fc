// EXPECT: no_single_call_operator<load>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct x : bs::activation<float> {};
struct load : bs::forward {
#ifdef BACKSTITCH_FAULT
  void run(bs::out<x>) const {}
#else
  void operator()(bs::out<x>) const {}
#endif
};

using plan = bs::plan<bs::pipeline<bs::stage<load>>, bs::f_then_b, bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
