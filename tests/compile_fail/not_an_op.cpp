// EXPECT: no type named .accepted. in .(struct )?backstitch::error::not_an_op<const idle>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct idle : bs::forward {
  void operator()() const {}
};
#ifdef BACKSTITCH_FAULT
using op = const idle;
#else
using op = idle;
#endif

using plan = bs::plan<bs::pipeline<bs::stage<op>>, bs::f_then_b, bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
