// EXPECT: zero_micro_batches<f_then_b, got<0>>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const;
};
struct use : bs::forward {
  void operator()(bs::in<x>) const;
};

using model = bs::pipeline<bs::stage<load>, bs::stage<use>>;
#ifdef BACKSTITCH_FAULT
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<0>>;
#else
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<1>>;
#endif

static_assert(sizeof(plan) != 0);
