// EXPECT: no_stage<pipeline<>>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const;
};

#ifdef BACKSTITCH_FAULT
using model = bs::pipeline<>;
#else
using model = bs::pipeline<bs::stage<load>>;
#endif
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
