// Working memory of generators and proofs: in place where the size is a constant, so that it can be
// carried from one constant evaluation to the next, else on the heap.
#pragma once

#include "backstitch/extent.hpp"

namespace backstitch {

// `n` zeroes. A plain array or pointer inside, since a subscript operator would cost constant
// evaluation five times its budget on clang and nvcc.
template <class T, int Constant = 0>
struct scratch {
  T at[detail::extent(Constant)] = {};  // the elements

  // `n` elements, at most as many as the constant says.
  constexpr explicit scratch(int /*n*/) {}
};

// On the heap.
template <class T>
struct scratch<T, 0> {
  T* at;  // the elements

  // `n` elements.
  constexpr explicit scratch(int n) : at(new T[detail::extent(n > 0 ? n : 1)]{}) {}
  constexpr ~scratch() { delete[] at; }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
};

namespace detail {

// Bits by number.
inline constexpr int bits_per_word = 32;
constexpr int words_for(int bits) { return (bits + bits_per_word - 1) / bits_per_word; }

}  // namespace detail
}  // namespace backstitch
