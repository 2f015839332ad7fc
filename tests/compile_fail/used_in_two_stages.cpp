// EXPECT: used_in_two_stages<w, in_stage<0>, in_stage<2>>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct w : bs::parameter<float[4]> {};
struct bias : bs::parameter<float[4]> {};
struct x : bs::activation<float[4]> {};
struct embed : bs::forward {
  void operator()(bs::in<w>, bs::out<x>) const;
};
struct pass : bs::forward {
  void operator()(bs::micro_batch) const;
};
struct project : bs::forward {
#ifdef BACKSTITCH_FAULT
  void operator()(bs::in<x>, bs::in<w>) const;
#else
  void operator()(bs::in<x>, bs::in<bias>) const;
#endif
};

using model = bs::pipeline<bs::stage<embed>, bs::stage<pass>, bs::stage<project>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
