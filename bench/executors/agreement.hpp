// Whether executors leave the same bits.
#pragma once

#include "executor.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <string>

namespace executors {

// The first value that differs, in words; empty where all bits are equal.
inline std::string difference(const values& a, const values& b) {
  const auto differ = [](const auto& x, const auto& y) {
    return std::memcmp(&x, &y, sizeof(x)) != 0;
  };
  for (int s = 0; s < stage_count; ++s) {
    if (differ(a.w[s], b.w[s])) return "w of stage " + std::to_string(s);
    if (differ(a.b[s], b.b[s])) return "b of stage " + std::to_string(s);
  }
  if (a.loss.size() != b.loss.size()) return "the number of losses";
  for (std::size_t m = 0; m < a.loss.size(); ++m) {
    if (differ(a.loss[m], b.loss[m])) return "the loss of micro-batch " + std::to_string(m);
  }
  return {};
}

// Whether training has changed every parameter: values that stay would agree by themselves.
inline bool has_trained(const values& v) {
  for (int s = 0; s < stage_count; ++s) {
    for (std::size_t i = 0; i < 4; ++i) {
      if (v.w[s].at[i] == initial_weight.at[i] || v.b[s].at[i] == 0) return false;
    }
  }
  return true;
}

// What an executor leaves after a few steps.
inline values values_after_steps(const named_executor& e, int micro_batches) {
  const auto made = e.make(micro_batches);
  made->run(3);
  made->run(2);
  return made->read();
}

// Compares executors with the engine that runs a thread per rank; the first disagreement, or
// nothing.
inline std::string disagreement(std::span<const named_executor> all, int micro_batches) {
  const values expected = values_after_steps(reference, micro_batches);
  if (!has_trained(expected)) return "the steps leave parameters as they were";
  for (const named_executor& e : all) {
    const std::string where = difference(expected, values_after_steps(e, micro_batches));
    if (!where.empty()) {
      return std::string(e.name) + " differs from " + std::string(reference.name) + " in " + where +
             " with " + std::to_string(micro_batches) + " micro-batches";
    }
  }
  return {};
}

}  // namespace executors
