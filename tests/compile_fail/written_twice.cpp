// EXPECT: written_twice<scale, x, in_stage<0>>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const;
};
struct scale : bs::forward {
#ifdef BACKSTITCH_FAULT
  void operator()(bs::out<x>) const;
#else
  void operator()(bs::inout<x>) const;
#endif
};

using model = bs::pipeline<bs::stage<load, scale>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
