// The loop that somebody would write for this model without a library: one micro-batch after the
// other forward and backward (1F1B on one rank), or all forwards and then all backwards.
//
// Includes no Backstitch header. Prints the same line as compiled.cpp.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {

constexpr std::size_t micro_batches = 64;

#ifdef F_THEN_B
constexpr std::size_t slots = micro_batches;
#else
constexpr std::size_t slots = 1;
#endif

struct state {
  float x[slots][4];
  float h[slots][4];
  float y[slots][4];
  float loss[micro_batches];
  float dy[4];
  float dh[4];
  float w[4] = {0.5f, 0.25f, 0.125f, 0.0625f};
  float b[4] = {};
  float dw[4];
  float db[4];
  float lr;
};

inline void forward(state& s, std::size_t m, std::size_t slot) {
  for (std::size_t i = 0; i < 4; ++i) s.x[slot][i] = static_cast<float>(m + i);
  for (std::size_t i = 0; i < 4; ++i) s.h[slot][i] = s.x[slot][i] * s.w[i];
  for (std::size_t i = 0; i < 4; ++i) s.y[slot][i] = s.h[slot][i] + s.b[i];
  s.loss[m] = (s.y[slot][0] + s.y[slot][1]) + (s.y[slot][2] + s.y[slot][3]);
}

inline void backward(state& s, std::size_t slot) {
  for (std::size_t i = 0; i < 4; ++i) s.dy[i] = s.y[slot][i] * 0.5f;
  for (std::size_t i = 0; i < 4; ++i) s.db[i] += s.dy[i];
  for (std::size_t i = 0; i < 4; ++i) s.dh[i] = s.dy[i] * s.h[slot][i];
  for (std::size_t i = 0; i < 4; ++i) s.dw[i] += s.dh[i] * s.x[slot][i];
}

void step(state& s, std::size_t number) {
  for (float& g : s.dw) g = 0;
  for (float& g : s.db) g = 0;
  s.lr = 1e-7f / static_cast<float>(number + 1);
#ifdef F_THEN_B
  for (std::size_t m = 0; m < micro_batches; ++m) forward(s, m, m);
  for (std::size_t m = 0; m < micro_batches; ++m) backward(s, m);
#else
  for (std::size_t m = 0; m < micro_batches; ++m) {
    forward(s, m, 0);
    backward(s, 0);
  }
#endif
  for (std::size_t i = 0; i < 4; ++i) s.w[i] -= s.lr * s.dw[i];
  for (std::size_t i = 0; i < 4; ++i) s.b[i] -= s.lr * s.db[i];
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t steps = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1;
  const auto s = std::make_unique<state>();
  for (std::size_t i = 0; i < steps; ++i) step(*s, i);
  for (float v : s->w) std::printf("%a ", static_cast<double>(v));
  for (float v : s->b) std::printf("%a ", static_cast<double>(v));
  std::printf("%a\n", static_cast<double>(s->loss[micro_batches - 1]));
}
