// Type at an index, and the name of a type, without recursion.
#pragma once

#include "backstitch/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace backstitch::detail {

template <std::size_t Index, class T>
struct indexed {};

template <class Indices, class... Ts>
struct indexer;
template <std::size_t... Is, class... Ts>
struct indexer<std::index_sequence<Is...>, Ts...> : indexed<Is, Ts>... {};

template <std::size_t Index, class T>
type_is<T> select_indexed(const indexed<Index, T>*);

// A pack as one type. Look-up is by overload resolution over base classes: measured 10x cheaper
// than std::tuple_element at 256 elements.
template <class... Ts>
struct type_list {
  static constexpr std::size_t size = sizeof...(Ts);
  using index = indexer<std::index_sequence_for<Ts...>, Ts...>;
  template <std::size_t Index>
  using at =
      typename decltype(detail::select_indexed<Index>(static_cast<const index*>(nullptr)))::type;
};

template <class T>
constexpr std::string_view decorated_name() {
  return __PRETTY_FUNCTION__;
}

// Where the type's own name begins and how much follows it, measured on a type whose name is known.
inline constexpr std::string_view probe_name = decorated_name<double>();
inline constexpr std::size_t name_prefix = probe_name.find("double");
inline constexpr std::size_t name_suffix = probe_name.size() - name_prefix - 6;

}  // namespace backstitch::detail

namespace backstitch {

// The name of a type as this compiler prints it.
template <class T>
constexpr std::string_view type_name() {
  constexpr std::string_view whole = detail::decorated_name<T>();
  constexpr std::string_view name =
      whole.substr(detail::name_prefix, whole.size() - detail::name_prefix - detail::name_suffix);
  return name;
}

}  // namespace backstitch

namespace backstitch::detail {

// FNV-1a over the name. Addresses of tags would be cheaper to compare, but g++ refuses that in
// constant expressions under -fsanitize=undefined. Different types can print alike (local types,
// lambdas, long strings), so users of the hash decide by is_same where two are equal.
constexpr std::uint64_t hash_text(std::string_view text) {
  std::uint64_t h = 14695981039346656037ULL;
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return h;
}
template <class T>
inline constexpr std::uint64_t type_hash_v = hash_text(decorated_name<T>());
template <class T>
constexpr std::uint64_t type_hash() {
  return type_hash_v<T>;
}

struct index_pair {
  int first = -1;  // -1: none
  int second = -1;
};

// The next pair first < second of equal numbers behind `after`, by rising `second`. O(n^2), for the
// ops of a stage and the arguments of an op.
constexpr index_pair next_equal(const std::uint64_t* numbers, int n, index_pair after) {
  for (int j = after.second < 0 ? 0 : after.second; j < n; ++j) {
    for (int i = j == after.second ? after.first + 1 : 0; i < j; ++i) {
      if (numbers[i] == numbers[j]) return {i, j};
    }
  }
  return {};
}

}  // namespace backstitch::detail
