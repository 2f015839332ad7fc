// Link tables for tests, all of one type, so that a test is compiled once for all of them.
#pragma once

#include "backstitch/schedule/link.hpp"

namespace links {

namespace bs = backstitch;
using bs::phase;
using table = bs::link_table<64>;

constexpr table chain(int stages) {
  table t;
  for (int s = 0; s + 1 < stages; ++s) {
    t.at[t.count++] = {s, s + 1, phase::forward, phase::forward};
    t.at[t.count++] = {s + 1, s, phase::backward, phase::backward};
  }
  return t;
}

// The chain and a forward value that stage 0 makes for the last stage, as labels are.
constexpr table chain_and_skip(int stages) {
  table t = chain(stages);
  if (stages > 1) t.at[t.count++] = {0, stages - 1, phase::forward, phase::forward};
  return t;
}

// From every stage to every other one.
constexpr table dense(int stages) {
  table t;
  for (int from = 0; from < stages; ++from) {
    for (int to = 0; to < stages; ++to) {
      const phase p = from < to ? phase::forward : phase::backward;
      if (from != to) t.at[t.count++] = {from, to, p, p};
    }
  }
  return t;
}

}  // namespace links
