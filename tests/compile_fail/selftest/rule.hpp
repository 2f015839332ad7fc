// A rule in the library's encoding, for cases about the check itself: rule<3> is kept.
#pragma once

template <int N>
struct rule {};
template <>
struct rule<3> {
  using accepted = int;
};
template <class Rule>
struct require;
// clang-format off
template <int N> struct require<rule<N>> { using type = typename rule<N>::accepted; static constexpr const char* cure = "take rule<3>"; };
// clang-format on
