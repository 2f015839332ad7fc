// EXPECT: op_not_default_constructible<load>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct load : bs::forward {
#ifdef BACKSTITCH_FAULT
  explicit load(unsigned seed);
#else
  explicit load(unsigned seed = 1);
#endif
  void operator()(bs::out<x>);
};

using model = bs::pipeline<bs::stage<load>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
