// EXPECT: not_a_pipeline<stage<load>>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const;
};

#ifdef BACKSTITCH_FAULT
using plan = bs::plan<bs::stage<load>, bs::f_then_b, bs::micro_batches<4>>;
#else
using plan = bs::plan<bs::pipeline<bs::stage<load>>, bs::f_then_b, bs::micro_batches<4>>;
#endif

static_assert(sizeof(plan) != 0);
