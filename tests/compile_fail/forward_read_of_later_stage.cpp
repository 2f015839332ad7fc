// EXPECT: forward_read_of_later_stage<use, x, in_stage<1>, in_stage<0>>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const;
};
struct use : bs::forward {
  void operator()(bs::in<x>) const;
};

#ifdef BACKSTITCH_FAULT
using model = bs::pipeline<bs::stage<use>, bs::stage<load>>;
#else
using model = bs::pipeline<bs::stage<load>, bs::stage<use>>;
#endif
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
