// EXPECT: step_value_without_writer<sgd_1, lr, in_stage<1>>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct w0 : bs::parameter<float[4]> {};
struct w1 : bs::parameter<float[4]> {};
struct lr : bs::step_value<float> {};
struct decay : bs::lr_schedule {
  void operator()(bs::step_index, bs::out<lr>) const;
};
struct sgd_0 : bs::optimize {
  void operator()(bs::in<lr>, bs::inout<w0>) const;
};
struct sgd_1 : bs::optimize {
  void operator()(bs::in<lr>, bs::inout<w1>) const;
};

#ifdef BACKSTITCH_FAULT
using model = bs::pipeline<bs::stage<decay, sgd_0>, bs::stage<sgd_1>>;
#else
using model = bs::pipeline<bs::stage<decay, sgd_0>, bs::stage<decay, sgd_1>>;
#endif
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
