// EXPECT: gradient_access_refused<clip, in<dw>, backward>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct w : bs::parameter<float> {};
struct dw : bs::gradient<w> {};
struct add : bs::backward {
  void operator()(bs::accumulate<dw>) const {}
};
#ifdef BACKSTITCH_FAULT
struct clip : bs::backward {
  void operator()(bs::in<dw>) const {}
};
#else
struct clip : bs::optimize {
  void operator()(bs::inout<dw>) const {}
};
#endif

using plan = bs::plan<bs::pipeline<bs::stage<add, clip>>, bs::f_then_b, bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
