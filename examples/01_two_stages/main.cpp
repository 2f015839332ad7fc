// The smallest pipeline that trains: y = w * x on two stages, fitted to y = 3 * x.
//
//   stage 0                      stage 1
//   scale(w) ------- y -------> loss      forward, per micro-batch
//   scale_dw <------ dy ------- loss      backward, per micro-batch
//   sgd(w, dw)                            once per step
#include <backstitch/backstitch.hpp>
#include <backstitch/host/engine.hpp>

#include <cstddef>
#include <cstdio>

namespace bs = backstitch;

float x(std::size_t m) { return static_cast<float>(m + 1); }

struct y : bs::activation<float> {};  // one per micro-batch in flight; crosses to stage 1
struct dy : bs::activation_gradient<y> {};
struct w : bs::parameter<float> {};  // lives for the whole run
struct dw : bs::gradient<w> {};      // zeroed at each step, summed over micro-batches

struct scale : bs::forward {
  void operator()(bs::micro_batch m, bs::in<w> w, bs::out<y> y) const { *y = *w * x(m); }
};
struct loss : bs::forward, bs::loss {
  void operator()(bs::micro_batch m, bs::in<y> y, bs::out<dy> d) const { *d = *y - 3 * x(m); }
};
struct scale_dw : bs::backward {
  void operator()(bs::micro_batch m, bs::in<dy> d, bs::accumulate<dw> g) const { *g += *d * x(m); }
};
struct sgd : bs::optimize {
  void operator()(bs::in<dw> g, bs::inout<w> w) const { *w -= 0.01f * *g; }
};

using model = bs::pipeline<bs::stage<scale, scale_dw, sgd>, bs::stage<loss>>;
using plan = bs::plan<model, bs::one_f_one_b, bs::micro_batches<4>>;
static_assert(plan::peak_in_flight(0) == 2);  // everything is checked here, at the first use

int main() {
  bs::host::engine<plan> engine;  // one thread per stage
  engine.run(50);
  std::printf("w = %.4f\n", static_cast<double>(engine.get<w>()));
}
