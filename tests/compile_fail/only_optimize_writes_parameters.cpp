// EXPECT: only_optimize_writes_parameters<step, w>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct w : bs::parameter<float[4]> {};
#ifdef BACKSTITCH_FAULT
struct step : bs::backward {
#else
struct step : bs::optimize {
#endif
  void operator()(bs::inout<w>) const;
};

using model = bs::pipeline<bs::stage<step>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
