// What an op holds in its hands: references to values, and its position in the step.
#include <backstitch/model/access.hpp>
#include <backstitch/model/variable.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace bs = backstitch;

namespace test_access {

struct sample {
  int label = 0;
};

struct scalar : bs::activation<float> {};
struct row : bs::activation<float[3]> {};
struct matrix : bs::activation<float[2][3]>{};
struct cube : bs::activation<double[2][3][4]>{};
struct object : bs::activation<sample> {};
struct list : bs::activation<std::vector<int>> {};
struct owner : bs::activation<std::unique_ptr<int>> {};

template <class Access>
using pointee = decltype(*std::declval<const Access&>());
template <class Access>
using data_pointer = decltype(std::declval<const Access&>().data());
template <class Access>
using element = decltype(std::declval<const Access&>()[std::size_t{0}]);
template <class Access>
concept indexable = requires(const Access& a) {
  a[std::size_t{0}];
};

// -- constness: only `in` is read-only, and a reference is as usable when it is const itself
// --------
static_assert(std::is_same_v<pointee<bs::in<scalar>>, const float&>);
static_assert(std::is_same_v<pointee<bs::out<scalar>>, float&>);
static_assert(std::is_same_v<pointee<bs::inout<scalar>>, float&>);
static_assert(std::is_same_v<pointee<bs::accumulate<scalar>>, float&>);
static_assert(std::is_same_v<pointee<bs::in<matrix>>, const float (&)[2][3]>);
static_assert(std::is_same_v<pointee<bs::out<matrix>>, float (&)[2][3]>);
static_assert(std::is_same_v<pointee<bs::in<object>>, const sample&>);
static_assert(std::is_same_v<pointee<bs::inout<object>>, sample&>);

// -- data(): the first scalar of an array of any rank, the object itself otherwise
// ------------------
static_assert(std::is_same_v<data_pointer<bs::in<scalar>>, const float*>);
static_assert(std::is_same_v<data_pointer<bs::out<scalar>>, float*>);
static_assert(std::is_same_v<data_pointer<bs::in<row>>, const float*>);
static_assert(std::is_same_v<data_pointer<bs::out<row>>, float*>);
static_assert(std::is_same_v<data_pointer<bs::in<matrix>>, const float*>);
static_assert(std::is_same_v<data_pointer<bs::accumulate<matrix>>, float*>);
static_assert(std::is_same_v<data_pointer<bs::in<cube>>, const double*>);
static_assert(std::is_same_v<data_pointer<bs::inout<cube>>, double*>);
static_assert(std::is_same_v<data_pointer<bs::in<object>>, const sample*>);
static_assert(std::is_same_v<data_pointer<bs::out<object>>, sample*>);
static_assert(std::is_same_v<data_pointer<bs::in<list>>, const std::vector<int>*>);

// -- r[i]: a row of an array, or what the value's own operator[] gives
// ------------------------------
static_assert(std::is_same_v<element<bs::in<row>>, const float&>);
static_assert(std::is_same_v<element<bs::in<matrix>>, const float (&)[3]>);
static_assert(std::is_same_v<element<bs::out<matrix>>, float (&)[3]>);
static_assert(std::is_same_v<element<bs::in<list>>, const int&>);
static_assert(std::is_same_v<element<bs::out<list>>, int&>);
static_assert(!indexable<bs::in<scalar>>);
static_assert(!indexable<bs::out<object>>);

// -- r->: a member of a class
// -----------------------------------------------------------------------
static_assert(std::is_same_v<decltype((std::declval<bs::in<object>>()->label)), const int&>);
static_assert(std::is_same_v<decltype((std::declval<bs::out<object>>()->label)), int&>);

// -- construction: only explicitly, only from a value of the right type
// -----------------------------
static_assert(std::is_constructible_v<bs::in<scalar>, float&>);
static_assert(std::is_constructible_v<bs::in<scalar>, const float&>);
static_assert(std::is_constructible_v<bs::out<scalar>, float&>);
static_assert(!std::is_convertible_v<float&, bs::in<scalar>>);
static_assert(!std::is_convertible_v<float&, bs::out<scalar>>);
static_assert(!std::is_convertible_v<float&, bs::inout<scalar>>);
static_assert(!std::is_convertible_v<float&, bs::accumulate<scalar>>);
// No way around constness, and no writing to a temporary.
static_assert(!std::is_constructible_v<bs::out<scalar>, const float&>);
static_assert(!std::is_constructible_v<bs::out<scalar>, float>);
static_assert(!std::is_constructible_v<bs::inout<matrix>, const float (&)[2][3]>);
// The shape is part of the type.
static_assert(std::is_constructible_v<bs::in<matrix>, float (&)[2][3]>);
static_assert(!std::is_constructible_v<bs::in<matrix>, float (&)[3][2]>);
static_assert(!std::is_constructible_v<bs::in<matrix>, float (&)[6]>);
// A reference refers to something.
static_assert(!std::is_default_constructible_v<bs::in<scalar>>);
static_assert(!std::is_default_constructible_v<bs::out<scalar>>);
// One access is no other, and one variable is no other, even of one type.
struct other : bs::activation<float> {};
static_assert(!std::is_constructible_v<bs::in<scalar>, bs::out<scalar>>);
static_assert(!std::is_constructible_v<bs::out<scalar>, bs::in<scalar>>);
static_assert(!std::is_constructible_v<bs::inout<scalar>, bs::accumulate<scalar>>);
static_assert(!std::is_constructible_v<bs::in<scalar>, bs::in<other>>);
static_assert(!std::is_constructible_v<bs::out<other>, bs::out<scalar>>);

// -- a reference is a pointer: copied for free, whatever it refers to
// -------------------------------
static_assert(sizeof(bs::in<cube>) == sizeof(void*));
static_assert(std::is_trivially_copyable_v<bs::in<cube>>);
static_assert(std::is_trivially_copyable_v<bs::out<owner>>);

// -- what the library reads off an access
// -----------------------------------------------------------
static_assert(std::is_same_v<bs::in<scalar>::variable, scalar>);
static_assert(bs::in<scalar>::access == bs::access_kind::in);
static_assert(bs::out<scalar>::access == bs::access_kind::out);
static_assert(bs::inout<scalar>::access == bs::access_kind::inout);
static_assert(bs::accumulate<scalar>::access == bs::access_kind::accumulate);
static_assert(bs::detail::is_access<bs::in<scalar>>);
static_assert(bs::detail::is_access<bs::accumulate<scalar>>);
static_assert(!bs::detail::is_access<const bs::in<scalar>&>);
static_assert(!bs::detail::is_access<bs::micro_batch>);
static_assert(!bs::detail::is_access<float>);

// -- use: what an op's body does, in a constant expression
// ------------------------------------------
constexpr float add_one(bs::in<scalar> from, bs::out<scalar> to) {
  *to = *from + 1;
  return *to;
}
constexpr bool bodies_work() {
  float a = 1, b = 0;
  add_one(bs::in<scalar>(a), bs::out<scalar>(b));
  float m[2][3] = {};
  const bs::out<matrix> rows(m);
  rows[1][2] = 5;
  (*rows)[0][1] = 7;
  sample s;
  const bs::inout<object> o(s);
  o->label = 4;
  o.data()->label += 5;
  return b == 2 && m[1][2] == 5 && m[0][1] == 7 && s.label == 9;
}
static_assert(bodies_work());

// -- positions: numbers of their own
// ----------------------------------------------------------------
template <class Wanted, class Given>
concept passes_as = requires(void (*op)(Wanted), Given given) {
  op(given);
};

// Each reads as a number.
static_assert(std::convertible_to<bs::micro_batch, std::size_t>);
static_assert(std::convertible_to<bs::step_index, std::size_t>);
static_assert(std::convertible_to<bs::micro_batch_count, std::size_t>);
static_assert(std::convertible_to<bs::stage_index, std::size_t>);
static_assert(std::size_t{bs::micro_batch(3)} == 3);
static_assert(bs::step_index(7) + 1 == 8);
static_assert(bs::micro_batch().value == 0);
static_assert(std::array<int, 3>{4, 5, 6}[bs::stage_index(2)] == 6);
// No bare number becomes one unasked.
static_assert(std::is_constructible_v<bs::micro_batch, std::size_t>);
static_assert(!passes_as<bs::micro_batch, std::size_t>);
static_assert(!passes_as<bs::step_index, std::size_t>);
static_assert(!passes_as<bs::micro_batch_count, std::size_t>);
static_assert(!passes_as<bs::stage_index, std::size_t>);
static_assert(!passes_as<bs::stage_index, int>);
// No position can be passed for another; each can be passed for itself.
template <class Given, class... Wanted>
inline constexpr int wanted_by = (0 + ... + int{passes_as<Wanted, Given>});
template <class Given>
inline constexpr int fits =
    wanted_by<Given, bs::micro_batch, bs::step_index, bs::micro_batch_count, bs::stage_index>;
static_assert(passes_as<bs::micro_batch, bs::micro_batch> && fits<bs::micro_batch> == 1);
static_assert(passes_as<bs::step_index, bs::step_index> && fits<bs::step_index> == 1);
static_assert(passes_as<bs::micro_batch_count, bs::micro_batch_count> &&
              fits<bs::micro_batch_count> == 1);
static_assert(passes_as<bs::stage_index, bs::stage_index> && fits<bs::stage_index> == 1);
static_assert(!passes_as<bs::micro_batch, bs::micro_batch_count>);

}  // namespace test_access
