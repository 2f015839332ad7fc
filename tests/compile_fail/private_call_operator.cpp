// EXPECT: no_single_call_operator<load>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct x : bs::activation<float> {};
#ifdef BACKSTITCH_FAULT
class load : public bs::forward {
#else
struct load : bs::forward {
#endif
  void operator()(bs::out<x>) const {}
};

using plan = bs::plan<bs::pipeline<bs::stage<load>>, bs::f_then_b, bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
