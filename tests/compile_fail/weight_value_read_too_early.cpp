// EXPECT: weight_value_read_too_early<late_reader, dx>
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
struct weights : bs::backward_weight {
  void operator()(bs::in<x>, bs::out<dx>) const {}
};
#ifdef BACKSTITCH_FAULT
struct late_reader : bs::backward {
#else
struct late_reader : bs::backward_weight {
#endif
  void operator()(bs::in<dx>) const {}
};
using model = bs::pipeline<bs::stage<load, use, weights, late_reader>>;

#ifdef BACKSTITCH_FAULT
using checked = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;
#else
using checked = bs::plan<model, bs::zero_bubble_1p<1>, bs::micro_batches<4>>;
#endif
static_assert(sizeof(checked) != 0);
