// EXPECT: parameter_access_refused<update, accumulate<w>, optimize>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct w : bs::parameter<float> {};
struct update : bs::optimize {
#ifdef BACKSTITCH_FAULT
  void operator()(bs::accumulate<w>) const {}
#else
  void operator()(bs::inout<w>) const {}
#endif
};

using plan = bs::plan<bs::pipeline<bs::stage<update>>, bs::f_then_b, bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
