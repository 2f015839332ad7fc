// EXPECT: wrong_owner<dx, x>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct x : bs::activation<float> {};
#ifdef BACKSTITCH_FAULT
struct dx : bs::gradient<x> {};
#else
struct dx : bs::activation_gradient<x> {};
#endif
struct add : bs::backward {
  void operator()(bs::accumulate<dx>) const {}
};

using plan = bs::plan<bs::pipeline<bs::stage<add>>, bs::f_then_b, bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
