// EXPECT: changed_after_sending<read, y, in_stage<1>, in_stage<0>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct y : bs::activation<float> {};
struct last : bs::activation<float> {};
struct make : bs::forward {
  void operator()(bs::out<y>) const {}
};
#ifdef BACKSTITCH_FAULT
struct change : bs::backward {
#else
struct change : bs::forward {
#endif
  void operator()(bs::inout<y>) const {}
};
struct read : bs::backward {
  void operator()(bs::in<y>) const {}
};
struct idle : bs::forward {
  void operator()() const {}
};

using plan = bs::plan<bs::pipeline<bs::stage<idle, read>, bs::stage<make, change>>, bs::f_then_b,
                      bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
