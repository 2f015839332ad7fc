// EXPECT: loss_on_wrong_role<decay, lr_schedule>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct lr : bs::step_value<float> {};
#ifdef BACKSTITCH_FAULT
struct decay : bs::lr_schedule, bs::loss {
#else
struct decay : bs::lr_schedule {
#endif
  void operator()(bs::step_index, bs::out<lr>) const;
};

using model = bs::pipeline<bs::stage<decay>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
