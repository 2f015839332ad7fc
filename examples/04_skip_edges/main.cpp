// Skip edges: a value that jumps over stages, as in a U-Net, and its gradient on the way back.
//
//   stage 0          stage 1         stage 2         stage 3
//   encode -- h ---> down -- d ----> up -- u ------> decode -> dh, du
//        `---------- h ----------------------------> decode             the skip
//   encode_dw <-- dh -- down_back <-- dd -- up_back <-- du -- decode
//        `<--------- dskip -----------------------------'               its gradient
//
// Nothing declares the skip: decode reads h, which stage 0 writes, so it is a message from stage 0
// to stage 3 (and one to stage 1). It costs memory where it waits; the plan knows how much, below.
#include <backstitch/backstitch.hpp>
#include <backstitch/host/engine.hpp>
#include <backstitch/report/grid.hpp>

#include <cstddef>
#include <cstdio>

namespace bs = backstitch;

constexpr std::size_t width = 4;
float input(std::size_t m, std::size_t i) { return static_cast<float>(m + i) * 0.25f; }

struct h : bs::activation<float[width]> {};
struct d : bs::activation<float> {};
struct u : bs::activation<float> {};
struct dskip : bs::activation_gradient<h> {};
struct du : bs::activation_gradient<u> {};
struct dd : bs::activation_gradient<d> {};
struct dh : bs::activation<float> {};  // d's share: one number for all of h
struct w : bs::parameter<float[width]> {
  static void init(float (&v)[width]) { v[0] = 0.5f, v[1] = 0.25f, v[2] = -0.5f, v[3] = 1.0f; }
};
struct dw : bs::gradient<w> {};

struct encode : bs::forward {
  void operator()(bs::micro_batch m, bs::in<w> w, bs::out<h> to) const {
    for (std::size_t i = 0; i < width; ++i) to[i] = w[i] * input(m, i);
  }
};
struct down : bs::forward {
  void operator()(bs::in<h> from, bs::out<d> to) const {
    *to = (from[0] + from[1]) + (from[2] + from[3]);
  }
};
struct up : bs::forward {
  void operator()(bs::in<d> from, bs::out<u> to) const { *to = *from * 0.5f; }
};
struct decode : bs::forward, bs::loss {  // error of u + h against 1
  void operator()(bs::in<u> from, bs::in<h> skipped, bs::out<du> d, bs::out<dskip> ds) const {
    *d = 0;
    for (std::size_t i = 0; i < width; ++i) {
      ds[i] = *from + skipped[i] - 1;
      *d += ds[i];
    }
  }
};
struct up_back : bs::backward {
  void operator()(bs::in<du> from, bs::out<dd> to) const { *to = *from * 0.5f; }
};
struct down_back : bs::backward {
  void operator()(bs::in<dd> from, bs::out<dh> to) const { *to = *from; }
};
struct encode_dw : bs::backward {
  void operator()(bs::micro_batch m, bs::in<dh> all, bs::in<dskip> each,
                  bs::accumulate<dw> g) const {
    for (std::size_t i = 0; i < width; ++i) g[i] += (*all + each[i]) * input(m, i);
  }
};
struct sgd : bs::optimize {
  void operator()(bs::in<dw> g, bs::inout<w> w) const {
    for (std::size_t i = 0; i < width; ++i) w[i] -= 0.01f * g[i];
  }
};

using model = bs::pipeline<bs::stage<encode, encode_dw, sgd>, bs::stage<down, down_back>,
                           bs::stage<up, up_back>, bs::stage<decode>>;
template <class Policy>
using plan = bs::plan<model, Policy, bs::micro_batches<8>>;

// What the skip costs stage 3: the h that have arrived and wait for u.
static_assert(plan<bs::one_f_one_b>::slot_count<h, 3>() <= 4);
static_assert(plan<bs::one_f_one_b>::slot_count<h, 0>() <= 4);

// The same arithmetic as a plain loop.
void loop(float (&w)[width], int steps) {
  for (int step = 0; step < steps; ++step) {
    float g[width] = {};
    for (std::size_t m = 0; m < 8; ++m) {
      float h[width], ds[width], du = 0;
      for (std::size_t i = 0; i < width; ++i) h[i] = w[i] * input(m, i);
      const float u = ((h[0] + h[1]) + (h[2] + h[3])) * 0.5f;
      for (std::size_t i = 0; i < width; ++i) du += ds[i] = u + h[i] - 1;
      for (std::size_t i = 0; i < width; ++i) g[i] += (du * 0.5f + ds[i]) * input(m, i);
    }
    for (std::size_t i = 0; i < width; ++i) w[i] -= 0.01f * g[i];
  }
}

template <class Policy>
int differences() {
  bs::host::engine<plan<Policy>> engine;
  engine.run(20);
  float expected[width];
  w::init(expected);
  loop(expected, 20);
  int different = 0;
  for (std::size_t i = 0; i < width; ++i) {
    different += engine.template get<w>()[i] == expected[i] ? 0 : 1;
  }
  std::printf("%s: w[0] = %.4f, %d of %zu weights differ from the plain loop\n", Policy::name,
              static_cast<double>(engine.template get<w>()[0]), different, width);
  return different;
}

int main() {
  std::printf("%s", bs::report::to_grid<plan<bs::one_f_one_b>>().c_str());
  return differences<bs::one_f_one_b>() + differences<bs::f_then_b>();
}
