// EXPECT: activation_access_refused<add, accumulate<x>, forward>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct x : bs::activation<float> {};
struct add : bs::forward {
#ifdef BACKSTITCH_FAULT
  void operator()(bs::accumulate<x>) const {}
#else
  void operator()(bs::out<x>) const {}
#endif
};

using plan = bs::plan<bs::pipeline<bs::stage<add>>, bs::f_then_b, bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
