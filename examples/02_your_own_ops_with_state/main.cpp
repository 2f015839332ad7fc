// Ops of your own that carry state: what an op keeps between steps, and where it belongs.
//
//   stage 0                                           stage 1
//   warm_up -> lr                                                 once per step
//   sample(generator) -> x, t    linear(x, w) -- y, t --> loss    forward, per micro-batch
//   linear_dw(x, dy) -> dw  <--------- dy ------------- loss      backward, per micro-batch
//   adam(lr, dw, mean, square, w)                                 once per step
//
// Three places hold what lasts:
//   * members of an op: settings, or whatever the op alone needs; set through engine.op<Op>()
//   * state<p>: one value per parameter that the optimizer keeps, such as a moment of Adam
//   * buffer<T>: what a forward op updates from micro-batch to micro-batch, such as a generator
#include <backstitch/backstitch.hpp>
#include <backstitch/host/engine.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace bs = backstitch;

constexpr std::size_t features = 3;
constexpr float true_weights[features] = {2.0f, -1.0f, 0.5f};

struct generator : bs::buffer<std::uint32_t> {
  static void init(std::uint32_t& seed) { seed = 2463534242u; }
};
struct x : bs::activation<float[features]> {};
struct t : bs::activation<float> {};
struct y : bs::activation<float> {};
struct dy : bs::activation_gradient<y> {};
struct loss_sum : bs::step_value<float> {};  // summed over micro-batches, zeroed at each step
struct w : bs::parameter<float[features]> {};
struct dw : bs::gradient<w> {};
struct mean : bs::state<w> {};    // Adam's first moment: the type of w
struct square : bs::state<w> {};  // Adam's second moment
struct lr : bs::step_value<float> {};

// A learning-rate op runs once per step. Its members are settings with defaults.
struct warm_up : bs::lr_schedule {
  float peak = 0.05f;
  std::size_t steps = 20;
  void operator()(bs::step_index step, bs::out<lr> rate) const {
    const auto done = static_cast<float>(step + 1) / static_cast<float>(steps);
    *rate = peak * (done < 1 ? done : 1);
  }
};

// The generator is a buffer, so micro-batches draw from it in their order under every schedule.
struct sample : bs::forward {
  void operator()(bs::inout<generator> state, bs::out<x> to, bs::out<t> target) const {
    *target = 0;
    for (std::size_t i = 0; i < features; ++i) {
      *state ^= *state << 13, *state ^= *state >> 17, *state ^= *state << 5;  // xorshift
      to[i] = static_cast<float>(*state >> 8) * 0x1p-23f - 1;
      *target += true_weights[i] * to[i];
    }
  }
};
struct linear : bs::forward {
  void operator()(bs::in<x> from, bs::in<w> weights, bs::out<y> to) const {
    *to = 0;
    for (std::size_t i = 0; i < features; ++i) *to += weights[i] * from[i];
  }
};
struct loss : bs::forward, bs::loss {
  void operator()(bs::in<y> got, bs::in<t> target, bs::out<dy> d,
                  bs::accumulate<loss_sum> sum) const {
    *d = *got - *target;
    *sum += *d * *d;
  }
};
struct linear_dw : bs::backward {
  void operator()(bs::in<x> from, bs::in<dy> d, bs::accumulate<dw> g) const {
    for (std::size_t i = 0; i < features; ++i) g[i] += *d * from[i];
  }
};

// Members that change: the powers of beta, one pair per op object.
struct adam : bs::optimize {
  float beta1 = 0.9f, beta2 = 0.999f, power1 = 1, power2 = 1;
  void operator()(bs::in<lr> rate, bs::in<dw> g, bs::inout<mean> m, bs::inout<square> s,
                  bs::inout<w> weights) {
    power1 *= beta1;
    power2 *= beta2;
    for (std::size_t i = 0; i < features; ++i) {
      m[i] = beta1 * m[i] + (1 - beta1) * g[i];
      s[i] = beta2 * s[i] + (1 - beta2) * g[i] * g[i];
      weights[i] -= *rate * (m[i] / (1 - power1)) / (std::sqrt(s[i] / (1 - power2)) + 1e-8f);
    }
  }
};

using model = bs::pipeline<bs::stage<warm_up, sample, linear, linear_dw, adam>, bs::stage<loss>>;
using plan = bs::plan<model, bs::one_f_one_b, bs::micro_batches<8>>;

int main() {
  bs::host::engine<plan> engine;
  engine.op<warm_up>().peak = 0.1f;  // between steps, as for all that follows
  engine.op<adam>().beta2 = 0.99f;
  for (int round = 0; round < 4; ++round) {
    engine.run(50);
    std::printf("step %3zu  lr %.3f  loss %.6f\n", engine.steps(),
                static_cast<double>(engine.get<lr>()), static_cast<double>(engine.get<loss_sum>()));
  }
  const auto& weights = engine.get<w>();
  std::printf("w = %.2f %.2f %.2f\n", static_cast<double>(weights[0]),
              static_cast<double>(weights[1]), static_cast<double>(weights[2]));
}
