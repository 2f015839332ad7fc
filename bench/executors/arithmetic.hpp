// What the ops of the measured pipeline compute: a small network on four numbers per value. Every
// executor calls these functions, so that they differ only in how they get from op to op.
#pragma once

#include <cstddef>

namespace executors {

constexpr int stage_count = 4;

// A vector register, so that no executor gains or loses by what a compiler vectorises.
using four_floats [[gnu::vector_size(16)]] = float;
struct vec {
  four_floats at;
  constexpr vec() : at{} {}
  constexpr vec(four_floats v) : at(v) {}
};

inline constexpr vec zero;
inline constexpr vec initial_weight = four_floats{0.5f, 0.5f, 0.5f, 0.5f};

// The ops read and write values by reference, wherever these lie.

[[gnu::always_inline]] inline void decay(std::size_t step, float& rate) {
  rate = 1e-4f / static_cast<float>(step + 1);
}

// Forward: x -> h = x w -> y = h + b -> r = max(y, 0) -> r / 2, the next stage's x.

[[gnu::always_inline]] inline void load(std::size_t m, vec& x) {
  const auto first = static_cast<float>(m) * 0.015625f;
  x.at = four_floats{first, first + 0.25f, first + 0.5f, first + 0.75f};
}
[[gnu::always_inline]] inline void multiply(const vec& a, const vec& b, vec& to) {
  to.at = a.at * b.at;
}
[[gnu::always_inline]] inline void add(const vec& a, const vec& b, vec& to) { to.at = a.at + b.at; }
[[gnu::always_inline]] inline void clip(const vec& y, vec& r) {
  r.at = y.at > zero.at ? y.at : zero.at;
}
[[gnu::always_inline]] inline void halve(const vec& r, vec& x) { x.at = r.at * 0.5f; }
// The last stage: the distance of r / 2 from 1, and its derivative.
[[gnu::always_inline]] inline void measure_loss(const vec& r, vec& d, float& loss) {
  const four_floats distance = r.at * 0.5f - 1.0f;
  const four_floats square = distance * distance;
  d.at = distance;
  loss = (square[0] + square[1]) + (square[2] + square[3]);
}

// Backward, from d, the gradient of r / 2: dy -> db += dy, dw += dy x, dx = dy w.

[[gnu::always_inline]] inline void clip_back(const vec& d, const vec& y, vec& dy) {
  dy.at = y.at > zero.at ? d.at * 0.5f : zero.at;
}
[[gnu::always_inline]] inline void accumulate(const vec& from, vec& sum) { sum.at += from.at; }
[[gnu::always_inline]] inline void accumulate_product(const vec& a, const vec& b, vec& sum) {
  sum.at += a.at * b.at;
}

[[gnu::always_inline]] inline void descend(float rate, const vec& g, vec& w) {
  w.at -= rate * g.at;
}

}  // namespace executors
