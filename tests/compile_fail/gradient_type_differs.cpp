// EXPECT: gradient_type_differs<dy, declared<float[512]>, expected<float[1024]>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct y : bs::activation<float[1024]> {};
struct dy : bs::activation_gradient<y> {
#ifdef BACKSTITCH_FAULT
  using value_type = float[512];
#else
  using value_type = float[1024];  // or leave it out
#endif
};
struct loss : bs::forward, bs::loss {
  void operator()(bs::out<dy>) const {}
};

using plan = bs::plan<bs::pipeline<bs::stage<loss>>, bs::f_then_b, bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
