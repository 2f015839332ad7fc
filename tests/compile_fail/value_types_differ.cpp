// EXPECT: value_types_differ<use, y, declared<float[1024]>, expected<float[512]>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct y : bs::activation<float[1024]> {};
struct make : bs::forward {
  void operator()(bs::out<y, float[1024]>) const {}
};
struct use : bs::forward {
#ifdef BACKSTITCH_FAULT
  void operator()(bs::in<y, float[512]>) const {}
#else
  void operator()(bs::in<y, float[1024]>) const {}
#endif
};

using plan =
    bs::plan<bs::pipeline<bs::stage<make>, bs::stage<use>>, bs::f_then_b, bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
