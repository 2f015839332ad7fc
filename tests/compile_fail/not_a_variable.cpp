// EXPECT: unknown_parameter<scale, out<y>, parameter_number<2>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct x : bs::activation<float> {};
#ifdef BACKSTITCH_FAULT
struct y {};
#else
struct y : bs::activation<float> {};
#endif
struct load : bs::forward {
  void operator()(bs::out<x>) const {}
};
struct scale : bs::forward {
  void operator()(bs::in<x>, bs::out<y>) const {}
};

using plan = bs::plan<bs::pipeline<bs::stage<load, scale>>, bs::f_then_b, bs::micro_batches<4>>;
// What a user asserts of a refused plan adds no second error.
static_assert(plan::peak_in_flight(0) == 4);
static_assert(plan::ideal_bubble() < 0.5);
