// EXPECT: no type named .accepted. in .(struct )?backstitch::error::not_kept<x>
#include "backstitch/backstitch.hpp"
#include "backstitch/host/engine.hpp"

namespace bs = backstitch;

struct x : bs::activation<float> {};
struct y : bs::activation<float> {};
struct w : bs::parameter<float> {};
struct other : bs::parameter<float> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const {}
};
struct use : bs::forward {
  void operator()(bs::in<x>, bs::in<w>, bs::out<y>) const {}
};
struct unused : bs::forward {
  void operator()() const {}
};
struct idle : bs::forward {
  void operator()() const {}
};

using model = bs::pipeline<bs::stage<load, idle>, bs::stage<use, idle>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<2>>;

int main() {
#ifdef BACKSTITCH_FAULT
  return bs::host::engine<plan>{}.get<x>(0) > 0;
#else
  return bs::host::engine<plan>{}.get<y>(0) > 0;
#endif
}
