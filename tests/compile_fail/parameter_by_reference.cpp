// EXPECT: unknown_parameter<use, const in<x>&, parameter_number<1>>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const;
};
struct use : bs::forward {
#ifdef BACKSTITCH_FAULT
  void operator()(const bs::in<x>&) const;
#else
  void operator()(bs::in<x>) const;
#endif
};

using model = bs::pipeline<bs::stage<load, use>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
