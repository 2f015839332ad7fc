// All lists of a kind, counted.
#pragma once

#include "support/golden.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace golden {

// Exactly `wanted` lists, so that a lost file cannot pass.
inline std::vector<action_list> load_all(const std::string& prefix, std::size_t wanted,
                                         const std::string& suffix = ".csv") {
  CAPTURE(prefix);
  auto lists = load(prefix, suffix);
  CHECK(lists.size() == wanted);
  return lists;
}

}  // namespace golden
