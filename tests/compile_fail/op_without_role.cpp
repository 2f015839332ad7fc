// EXPECT: op_without_role<scale>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const;
};
#ifdef BACKSTITCH_FAULT
struct scale {
#else
struct scale : bs::forward {
#endif
  void operator()(bs::inout<x>) const;
};

using model = bs::pipeline<bs::stage<load, scale>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
