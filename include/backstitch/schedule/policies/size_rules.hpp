// Rules on sizes that several policies share, and where a rank stands.
#pragma once

#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch::detail {

// Every rank holds `n` stages: an order of work names no others.
constexpr precondition stages_on_every_rank(const shape& s, int n) {
  for (int r = 0; r < s.ranks; ++r) {
    int here = 0;
    while (here < s.chunks && s.stage(r, here) >= 0) ++here;
    if (here != n) return {size_rule::stages_per_rank, n, here, n};
  }
  return {};
}

// Where a rank stands in the pipeline, whatever its number: at which of the first R stages. Below R
// for any placement, so that an order made for another one ends, and is refused for what it lacks.
constexpr int place_of(const shape& s, int rank) { return s.stage(rank, 0) % s.ranks; }

// The nearest multiple of `factor` that is `least` or more; of two, the larger one. `least` is a
// multiple itself.
constexpr int nearest_multiple(int n, int factor, int least) {
  if (n <= least) return least;
  const int below = n / factor * factor;
  const int above = below == n ? n : below + factor;
  return above - n <= n - below ? above : below;
}

}  // namespace backstitch::detail
