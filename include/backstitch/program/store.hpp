// The memory of one rank: a fixed number of slots per variable, and one object per op. Allocated
// once, as one object; nothing is allocated while running.
#pragma once

#include "backstitch/extent.hpp"
#include "backstitch/model/table.hpp"
#include "backstitch/program/plan.hpp"

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace backstitch::detail {

// Makes a value T{} again; arrays element by element. In place where that cannot throw: a large T
// has no room on a thread's stack.
template <class T>
void reset_value(T& value) {
  if constexpr (std::is_array_v<T>) {
    if constexpr (std::is_arithmetic_v<std::remove_all_extents_t<T>>) {
      std::memset(static_cast<void*>(__builtin_addressof(value)), 0, sizeof(T));
    } else {
      for (auto& element : value) reset_value(element);
    }
  } else if constexpr (std::is_nothrow_default_constructible_v<T>) {
    value.~T();
    ::new (static_cast<void*>(__builtin_addressof(value))) T{};
  } else {
    value = T{};
  }
}

// Copies a value, or moves it out of its source.
template <class T>
constexpr void copy_value(const T& from, T& to) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    std::memcpy(static_cast<void*>(__builtin_addressof(to)),
                static_cast<const void*>(__builtin_addressof(from)), sizeof(T));
  } else if constexpr (std::is_array_v<T>) {
    for (std::size_t i = 0; i < std::extent_v<T>; ++i) copy_value(from[i], to[i]);
  } else {
    to = from;
  }
}
// Adds `from` to `to`; arrays element by element.
template <class T>
constexpr void add_value(const T& from, T& to) {
  if constexpr (std::is_array_v<T>) {
    for (std::size_t i = 0; i < std::extent_v<T>; ++i) add_value(from[i], to[i]);
  } else {
    to += from;
  }
}
template <class T>
constexpr void move_value(T& from, T& to) {
  if constexpr (std::is_array_v<T>) {
    for (std::size_t i = 0; i < std::extent_v<T>; ++i) move_value(from[i], to[i]);
  } else {
    to = std::move(from);
  }
}

// Buffers of a cache line or more start on one.
template <class T>
inline constexpr std::size_t slot_alignment = sizeof(T) >= 64 && alignof(T) < 64 ? 64 : alignof(T);

template <class T>
struct alignas(slot_alignment<T>) slot {
  T value{};
};

// Use U of the model: `Slots` values of V.
template <int U, class V, int Slots>
struct slot_block {
  slot<value_t<V>> at[extent(Slots)];
  constexpr slot_block() {
    if constexpr (names_init<V>) {
      for (auto& s : at) V::init(s.value);
    }
  }
};

template <int Op, class T>
struct op_block {
  T op{};
};

// Picks numbers at compile time: those i in [0, N) that Accept::test accepts. Plain functions,
// since g++ -Wshadow holds locals of a lambda in a template against the user's global names.
template <class Accept>
constexpr int count_selected(int n) {
  int count = 0;
  for (int i = 0; i < n; ++i) count += Accept::test(i) ? 1 : 0;
  return count;
}
template <int Count>
struct picked {
  int at[extent(Count + 1)] = {};
};
template <class Accept, int Count>
constexpr auto pick_selected(int n) {
  picked<Count> all;
  int count = 0;
  for (int i = 0; i < n; ++i) {
    if (Accept::test(i)) all.at[count++] = i;
  }
  return all;
}
template <class Accept, int N, class Indices>
struct selection;
template <class Accept, int N, std::size_t... Is>
struct selection<Accept, N, std::index_sequence<Is...>> {
  static constexpr auto all = pick_selected<Accept, int{sizeof...(Is)}>(N);
  using type = std::integer_sequence<int, all.at[Is]...>;
};
template <class Accept, int N>
using selected = typename selection<
    Accept, N, std::make_index_sequence<static_cast<std::size_t>(count_selected<Accept>(N))>>::type;

template <class Plan, int Rank, bool SharedMemory>
struct held_on_rank {
  static constexpr bool test(int u) {
    return Plan::rank_of(model_v<typename Plan::model_type>.use[u].stage) == Rank &&
           slots_v<Plan, SharedMemory>.use[u].count > 0;
  }
};
template <class Plan, int Rank>
struct op_on_rank {
  static constexpr bool test(int i) {
    return Plan::rank_of(model_v<typename Plan::model_type>.op[i].stage) == Rank;
  }
};

template <class Plan, bool SharedMemory, int U>
using slot_block_at = slot_block<
    U, variable_at<typename Plan::model_type, model_v<typename Plan::model_type>.use[U].variable>,
    slots_v<Plan, SharedMemory>.use[U].count>;
template <class Plan, int Number>
using op_block_at = op_block<Number, op_at<typename Plan::model_type, Number>>;

template <class Plan, bool SharedMemory, class Uses, class Ops>
struct store_blocks;
template <class Plan, bool SharedMemory, int... Us, int... Is>
struct store_blocks<Plan, SharedMemory, std::integer_sequence<int, Us...>,
                    std::integer_sequence<int, Is...>> : slot_block_at<Plan, SharedMemory, Us>...,
                                                         op_block_at<Plan, Is>... {};

// The slot of a micro-batch among `Slots`. One slot costs nothing, a slot per micro-batch no
// division.
template <class Plan, std::size_t Slots>
[[gnu::always_inline]] constexpr std::size_t slot_of([[maybe_unused]] std::size_t m) {
  if constexpr (Slots == 1) {
    return 0;
  } else if constexpr (Slots >= static_cast<std::size_t>(Plan::micro_batches)) {
    return m;
  } else {
    return m % Slots;
  }
}

// All slots and ops of one rank.
template <class Plan, int Rank, bool SharedMemory>
struct rank_store
    : store_blocks<
          Plan, SharedMemory,
          selected<held_on_rank<Plan, Rank, SharedMemory>, model_v<typename Plan::model_type>.uses>,
          selected<op_on_rank<Plan, Rank>, model_v<typename Plan::model_type>.ops>> {
  using model = typename Plan::model_type;

  // The slot of use U for a micro-batch.
  template <int U>
  [[gnu::always_inline]] constexpr auto& value(std::size_t m) {
    constexpr auto count = static_cast<std::size_t>(slots_v<Plan, SharedMemory>.use[U].count);
    return static_cast<slot_block_at<Plan, SharedMemory, U>&>(*this)
        .at[slot_of<Plan, count>(m)]
        .value;
  }
  template <int Number>
  [[gnu::always_inline]] constexpr auto& op() {
    return static_cast<op_block_at<Plan, Number>&>(*this).op;
  }
};

}  // namespace backstitch::detail
