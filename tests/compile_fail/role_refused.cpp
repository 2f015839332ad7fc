// EXPECT: role_refused<sum_gradients, collective>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct w : bs::parameter<float[4]> {};
struct dw : bs::gradient<w> {};
struct dense_dw : bs::backward {
  void operator()(bs::accumulate<dw>) const;
};
#ifdef BACKSTITCH_FAULT
struct sum_gradients : bs::collective {
#else
struct sum_gradients : bs::optimize {
#endif
  void operator()(bs::inout<dw>) const;
};

using model = bs::pipeline<bs::stage<dense_dw, sum_gradients>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
