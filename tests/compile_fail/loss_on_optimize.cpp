// EXPECT: loss_on_wrong_role<sgd, optimize>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct w : bs::parameter<float[4]> {};
struct dw : bs::gradient<w> {};
struct dense_dw : bs::backward, bs::loss {
  void operator()(bs::accumulate<dw>) const;
};
#ifdef BACKSTITCH_FAULT
struct sgd : bs::optimize, bs::loss {
#else
struct sgd : bs::optimize {
#endif
  void operator()(bs::in<dw>, bs::inout<w>) const;
};

using model = bs::pipeline<bs::stage<dense_dw, sgd>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
