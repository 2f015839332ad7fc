// EXPECT: op_does_not_split<zero_bubble_1p<1>, back, try_instead<fused<zero_bubble_1p<1>>>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct w : bs::parameter<float[4]> {};
struct dx : bs::activation_gradient<x> {};
struct dw : bs::gradient<w> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const {}
};
struct use : bs::forward {
  void operator()(bs::in<x>, bs::in<w>) const {}
};
struct back : bs::backward {
  void operator()(bs::in<w>, bs::accumulate<dw>, bs::out<dx>) const {}
};
using model = bs::pipeline<bs::stage<load, use, back>>;

#ifdef BACKSTITCH_FAULT
using checked = bs::plan<model, bs::zero_bubble_1p<1>, bs::micro_batches<4>>;
#else
using checked = bs::plan<model, bs::fused<bs::zero_bubble_1p<1>>, bs::micro_batches<4>>;
#endif
static_assert(sizeof(checked) != 0);
