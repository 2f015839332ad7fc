// EXPECT: forward_read_of_backward_value<clip, dx>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct dx : bs::activation_gradient<x> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const;
};
struct square_dx : bs::backward {
  void operator()(bs::in<x>, bs::out<dx>) const;
};
#ifdef BACKSTITCH_FAULT
struct clip : bs::forward {
#else
struct clip : bs::backward {
#endif
  void operator()(bs::inout<dx>) const;
};

using model = bs::pipeline<bs::stage<load, square_dx, clip>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
