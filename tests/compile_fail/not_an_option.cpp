// EXPECT: not_an_option<micro_batches<4>>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const;
};

using model = bs::pipeline<bs::stage<load>>;
#ifdef BACKSTITCH_FAULT
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>, bs::micro_batches<4>>;
#else
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>, bs::memory::keep>;
#endif

static_assert(sizeof(plan) != 0);
