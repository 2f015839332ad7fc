// The smallest pipeline that trains: y = w * x on two stages, fitted to y = 3 * x.
//
//   stage 0                      stage 1
//   load --x--> scale --y------> loss
//               scale_dw <--dy-- loss
//               sgd
#include <backstitch/backstitch.hpp>
#include <backstitch/host/engine.hpp>

#include <cstdio>

namespace bs = backstitch;

struct x : bs::activation<float> {};  // one per micro-batch in flight
struct y : bs::activation<float> {};
struct dy : bs::activation_gradient<y> {};
struct error : bs::activation<float> {};  // read by no op: an output, kept for every micro-batch
struct w : bs::parameter<float> {};       // lives for the whole run
struct dw : bs::gradient<w> {};           // zeroed at each step, accumulated over micro-batches

struct load : bs::forward {
  void operator()(bs::micro_batch m, bs::out<x> to) const { *to = static_cast<float>(m + 1); }
};
struct scale : bs::forward {
  void operator()(bs::in<x> from, bs::in<w> weight, bs::out<y> to) const { *to = *from * *weight; }
};
struct loss : bs::forward, bs::loss {
  void operator()(bs::in<y> got, bs::micro_batch m, bs::out<dy> d, bs::out<error> e) const {
    *d = *got - 3.0f * static_cast<float>(m + 1);
    *e = *d * *d;
  }
};
struct scale_dw : bs::backward {
  void operator()(bs::in<x> from, bs::in<dy> d, bs::accumulate<dw> g) const { *g += *from * *d; }
};
struct sgd : bs::optimize {
  void operator()(bs::in<dw> g, bs::inout<w> weight) const { *weight -= 0.01f * *g; }
};

using model = bs::pipeline<bs::stage<load, scale, scale_dw, sgd>, bs::stage<loss>>;
using plan = bs::plan<model, bs::one_f_one_b, bs::micro_batches<4>>;
static_assert(plan::peak_in_flight(0) == 2);  // its first use: everything is checked here

int main() {
  bs::host::engine<plan> engine;
  engine.run(50);
  std::printf("w = %.4f, error of micro-batch 3 = %.2g\n", static_cast<double>(engine.get<w>()),
              static_cast<double>(engine.get<error>(3)));
}
