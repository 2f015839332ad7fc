// EXPECT: init_not_usable<w>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct w : bs::parameter<float> {
#ifdef BACKSTITCH_FAULT
  static void init(double& v) { v = 1; }
#else
  static void init(float& v) { v = 1; }
#endif
};
struct use : bs::forward {
  void operator()(bs::in<w>) const {}
};

using plan = bs::plan<bs::pipeline<bs::stage<use>>, bs::f_then_b, bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
