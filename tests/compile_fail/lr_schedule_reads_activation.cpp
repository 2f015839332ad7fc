// EXPECT: lr_schedule_reads_activation<decay, x>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct seen : bs::buffer<float> {};
struct lr : bs::step_value<float> {};
struct load : bs::forward {
  void operator()(bs::out<x>, bs::inout<seen>) const;
};
struct decay : bs::lr_schedule {
#ifdef BACKSTITCH_FAULT
  void operator()(bs::in<x>, bs::out<lr>) const;
#else
  void operator()(bs::in<seen>, bs::out<lr>) const;
#endif
};

using model = bs::pipeline<bs::stage<load, decay>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
