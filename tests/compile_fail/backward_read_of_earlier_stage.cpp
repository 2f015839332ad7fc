// EXPECT: backward_read_of_earlier_stage<use_dx, dx, in_stage<1>, in_stage<2>>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct dx : bs::activation_gradient<x> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const;
};
struct make_dx : bs::backward {
  void operator()(bs::in<x>, bs::out<dx>) const;
};
struct use_dx : bs::backward {
  void operator()(bs::in<dx>) const;
};

#ifdef BACKSTITCH_FAULT
using model = bs::pipeline<bs::stage<load>, bs::stage<make_dx>, bs::stage<use_dx>>;
#else
using model = bs::pipeline<bs::stage<load>, bs::stage<use_dx>, bs::stage<make_dx>>;
#endif
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
