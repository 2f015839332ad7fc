// Array bounds. Counts are `int` here, since they end up in error messages; a dependent `int` as a
// bound makes g++ -Wsign-conversion warn in the programs of users.
#pragma once

#include <cstddef>

namespace backstitch::detail {

constexpr std::size_t extent(int n) { return static_cast<std::size_t>(n); }

}  // namespace backstitch::detail
