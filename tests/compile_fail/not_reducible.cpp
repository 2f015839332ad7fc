// EXPECT: not_reducible<chimera<2>, dw>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct blob {
  float a = 0;
};
struct x : bs::activation<float[4]> {};
struct w : bs::parameter<blob> {};
struct dx : bs::activation_gradient<x> {};
struct dw : bs::gradient<w> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const {}
};
struct use : bs::forward {
  void operator()(bs::in<x>, bs::in<w>) const {}
};
struct back : bs::backward {
  void operator()(bs::in<x>, bs::accumulate<dw>) const {}
};
struct pass : bs::forward {
  void operator()(bs::in<x>) const {}
};
using model = bs::pipeline<bs::stage<load, use, back>, bs::stage<pass>>;

#ifdef BACKSTITCH_FAULT
using checked = bs::plan<model, bs::chimera<2>, bs::micro_batches<4>>;
#else
using checked = bs::plan<model, bs::one_f_one_b, bs::micro_batches<4>>;
#endif
static_assert(sizeof(checked) != 0);
