// EXPECT: unknown_parameter<load, int, parameter_number<2>>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct load : bs::forward {
#ifdef BACKSTITCH_FAULT
  void operator()(bs::out<x>, int) const;
#else
  void operator()(bs::out<x>, bs::micro_batch) const;
#endif
};

using model = bs::pipeline<bs::stage<load>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
