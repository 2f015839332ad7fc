// EXPECT: same_op_twice<scale, in_stage<0>>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const;
};
struct scale : bs::forward {
  void operator()(bs::inout<x>) const;
};

#ifdef BACKSTITCH_FAULT
using model = bs::pipeline<bs::stage<load, scale, scale>>;
#else
struct scale_again : scale {};
using model = bs::pipeline<bs::stage<load, scale, scale_again>>;
#endif
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
