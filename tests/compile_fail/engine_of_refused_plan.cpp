// EXPECT: too_few_micro_batches<one_f_one_b, needed<2>, got<1>, try_instead<one_f_one_b_clamped>>
// An engine of a refused plan says the rule once, whatever is asked of the engine.
#include "backstitch/backstitch.hpp"
#include "backstitch/host/engine.hpp"

namespace bs = backstitch;

struct x : bs::activation<float> {};
struct y : bs::activation<float> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const {}
};
struct use : bs::forward {
  void operator()(bs::in<x>, bs::out<y>) const {}
};

using model = bs::pipeline<bs::stage<load>, bs::stage<use>>;
#ifdef BACKSTITCH_FAULT
using plan = bs::plan<model, bs::one_f_one_b, bs::micro_batches<1>>;
#else
using plan = bs::plan<model, bs::one_f_one_b_clamped, bs::micro_batches<1>>;
#endif

int main() {
  bs::host::engine<plan> engine;
  engine.run(2);
  engine.op<load>();
  return engine.get<y>(0) > 0;
}
