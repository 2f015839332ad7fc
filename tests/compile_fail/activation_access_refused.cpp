// EXPECT: activation_access_refused<update, out<x>, optimize>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct x : bs::activation<float> {};
struct w : bs::parameter<float> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const {}
};
struct update : bs::optimize {
#ifdef BACKSTITCH_FAULT
  void operator()(bs::out<x>, bs::inout<w>) const {}
#else
  // x of the last micro-batch
  void operator()(bs::in<x>, bs::inout<w>) const {}
#endif
};

using plan = bs::plan<bs::pipeline<bs::stage<load, update>>, bs::f_then_b, bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
