// EXPECT: copies_would_differ<chimera<2>, count, seen>
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
struct seen : bs::buffer<int> {};
struct count : bs::forward {
  void operator()(bs::in<x>, bs::inout<seen>) const {}
};
using model = bs::pipeline<bs::stage<load, use>, bs::stage<count>>;

#ifdef BACKSTITCH_FAULT
using checked = bs::plan<model, bs::chimera<2>, bs::micro_batches<4>>;
#else
using checked = bs::plan<model, bs::one_f_one_b, bs::micro_batches<4>>;
#endif
static_assert(sizeof(checked) != 0);
