// ZBV: the stages of a rank stand at both ends of a V, so the last stage's gradients start where
// the first stage's activations do, and all three kinds of work take turns. arXiv 2401.10241,
// section 6; the fixed order of PyTorch.
//
// Any M. Peak of rank r: min(2R, 2M, M+1+r) micro-batches of a stage, R of the model from M = 2R-1
// on. Idle from there on where F = I = W: (R-1)F, none of it between a rank's first and last
// action. F, I and W of one stage.
#pragma once

#include "backstitch/schedule/placement.hpp"
#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {
namespace detail {

// Counts the micro-batches of each kind of work and leaves out those from M on: below 2R-1
// micro-batches, the order is a longer one with gaps.
template <class Sink>
struct zbv_rank {
  Sink& sink;
  int micro_batches;
  int stage[2];
  int f[2] = {}, i[2] = {}, w[2] = {};  // done so far, per chunk

  constexpr void forward(int chunk) {
    const int m = f[chunk]++;
    if (m < micro_batches) sink.forward(stage[chunk], m);
  }
  constexpr void input(int chunk) {
    const int m = i[chunk]++;
    if (m < micro_batches) sink.backward_input(stage[chunk], m);
  }
  constexpr void weight(int chunk) {
    const int m = w[chunk]++;
    if (m < micro_batches) sink.backward_weight(stage[chunk], m);
  }
  constexpr void all(int chunk) {
    forward(chunk);
    input(chunk);
    weight(chunk);
  }
};

}  // namespace detail

// Two stages per rank.
struct zbv {
  static constexpr const char* name = "zbv";     // for pictures and messages
  static constexpr int chunks = 2;               // stages per rank
  using placement_type = placement::v;           // where the stages stand
  static constexpr bool splits_backward = true;  // emits I and W

  // The least legal number of micro-batches.
  static constexpr int min_micro_batches(int /*ranks*/) { return 1; }
  // The other rules on the sizes.
  static constexpr precondition accept(shape s) { return detail::stages_on_every_rank(s, 2); }
  // The peak.
  static constexpr int max_in_flight(shape s, int rank) {
    const int r = detail::place_of(s, rank), m = s.micro_batches;
    int most = 2 * (m < s.ranks ? m : s.ranks);
    if (m + 1 + r < most) most = m + 1 + r;  // while the pipeline never fills
    return most;
  }

  // Emits the rank's order into a sink. O(M + R).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    const int a = 0, z = 1;  // towards the input, towards the loss
    const int r = detail::place_of(s, rank), after = s.ranks - r;
    const int count = 2 * s.ranks - 1 > s.micro_batches ? 2 * s.ranks - 1 : s.micro_batches;
    detail::zbv_rank<Sink> work{sink, s.micro_batches, {s.stage(rank, 0), s.stage(rank, 1)}};
    for (int k = 0; k < 2 * after - 1; ++k) work.forward(a);
    for (int k = 0; k < r; ++k) {
      work.forward(z);
      work.forward(a);
    }
    for (int k = 0; k < after; ++k) work.all(z);
    while (work.f[z] < work.f[a] || work.f[a] < count) {
      if (work.f[a] < count) work.forward(a);
      work.input(a);
      work.weight(a);
      work.all(z);
    }
    for (int k = 0; k < r; ++k) {
      work.input(a);
      work.input(z);
    }
    for (int k = 0; k < after; ++k) {
      work.input(a);
      work.weight(a);
    }
    while (work.w[z] < work.i[z]) work.weight(z);
    while (work.w[a] < work.i[a]) work.weight(a);
  }
};

}  // namespace backstitch
