// EXPECT: gradient_access_refused<dense_dw, out<dw>, backward>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct w : bs::parameter<float[4]> {};
struct dw : bs::gradient<w> {};
struct dense_dw : bs::backward {
#ifdef BACKSTITCH_FAULT
  void operator()(bs::out<dw>) const;
#else
  void operator()(bs::accumulate<dw>) const;
#endif
};

using model = bs::pipeline<bs::stage<dense_dw>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
