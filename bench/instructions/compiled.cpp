// The same model as by_hand.cpp, as ops under a plan.
#include "backstitch/backstitch.hpp"
#include "backstitch/host/engine.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace bs = backstitch;

namespace {

// The gate must see one instruction more per action; built so, it has to fail.
inline void extra_instruction() {
#ifdef ONE_INSTRUCTION_MORE
  asm volatile("nop");
#endif
}

struct x : bs::activation<float[4]> {};
struct h : bs::activation<float[4]> {};
struct y : bs::activation<float[4]> {};
struct loss_value : bs::activation<float> {};
struct dy : bs::activation_gradient<y> {};
struct dh : bs::activation_gradient<h> {};
struct w : bs::parameter<float[4]> {
  static void init(value_type& v) { v[0] = 0.5f, v[1] = 0.25f, v[2] = 0.125f, v[3] = 0.0625f; }
};
struct b : bs::parameter<float[4]> {};
struct dw : bs::gradient<w> {};
struct db : bs::gradient<b> {};
struct lr : bs::step_value<float> {};

struct decay : bs::lr_schedule {
  void operator()(bs::step_index step, bs::out<lr> rate) const {
    *rate = 1e-7f / static_cast<float>(step + 1);
  }
};
struct load : bs::forward {
  void operator()(bs::micro_batch m, bs::out<x> to) const {
    extra_instruction();
    for (std::size_t i = 0; i < 4; ++i) to[i] = static_cast<float>(m + i);
  }
};
struct scale : bs::forward {
  void operator()(bs::in<x> from, bs::in<w> weight, bs::out<h> to) const {
    for (std::size_t i = 0; i < 4; ++i) to[i] = from[i] * weight[i];
  }
};
struct shift : bs::forward {
  void operator()(bs::in<h> from, bs::in<b> bias, bs::out<y> to) const {
    for (std::size_t i = 0; i < 4; ++i) to[i] = from[i] + bias[i];
  }
};
struct sum : bs::forward, bs::loss {
  void operator()(bs::in<y> from, bs::out<loss_value> to) const {
    *to = (from[0] + from[1]) + (from[2] + from[3]);
  }
};
struct sum_back : bs::backward, bs::loss {
  void operator()(bs::in<y> from, bs::out<dy> to) const {
    extra_instruction();
    for (std::size_t i = 0; i < 4; ++i) to[i] = from[i] * 0.5f;
  }
};
struct shift_back : bs::backward {
  void operator()(bs::in<dy> from, bs::accumulate<db> to) const {
    for (std::size_t i = 0; i < 4; ++i) to[i] += from[i];
  }
};
struct scale_back : bs::backward {
  void operator()(bs::in<dy> from, bs::in<h> value, bs::out<dh> to) const {
    for (std::size_t i = 0; i < 4; ++i) to[i] = from[i] * value[i];
  }
};
struct weight_back : bs::backward {
  void operator()(bs::in<dh> from, bs::in<x> value, bs::accumulate<dw> to) const {
    for (std::size_t i = 0; i < 4; ++i) to[i] += from[i] * value[i];
  }
};
struct sgd_w : bs::optimize {
  void operator()(bs::in<lr> rate, bs::in<dw> g, bs::inout<w> to) const {
    for (std::size_t i = 0; i < 4; ++i) to[i] -= *rate * g[i];
  }
};
struct sgd_b : bs::optimize {
  void operator()(bs::in<lr> rate, bs::in<db> g, bs::inout<b> to) const {
    for (std::size_t i = 0; i < 4; ++i) to[i] -= *rate * g[i];
  }
};

using model = bs::pipeline<bs::stage<decay, load, scale, shift, sum, sum_back, shift_back,
                                     scale_back, weight_back, sgd_w, sgd_b>>;
#ifdef F_THEN_B
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<64>>;
#else
using plan = bs::plan<model, bs::one_f_one_b, bs::micro_batches<64>>;
#endif

}  // namespace

int main(int argc, char** argv) {
  const std::size_t steps = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1;
  bs::host::engine<plan> engine;
  engine.run(steps);
  for (float v : engine.get<w>()) std::printf("%a ", static_cast<double>(v));
  for (float v : engine.get<b>()) std::printf("%a ", static_cast<double>(v));
  std::printf("%a\n", static_cast<double>(engine.get<loss_value>(plan::micro_batches - 1)));
}
