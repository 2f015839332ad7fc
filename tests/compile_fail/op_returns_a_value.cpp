// EXPECT: op_returns_a_value<loss, float>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct y : bs::activation<float> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const;
};
struct loss : bs::forward, bs::loss {
#ifdef BACKSTITCH_FAULT
  float operator()(bs::in<x>) const;
#else
  void operator()(bs::in<x>, bs::out<y>) const;
#endif
};

using model = bs::pipeline<bs::stage<load, loss>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
