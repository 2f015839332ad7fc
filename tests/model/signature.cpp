// The parameter list of an op, read off its one call operator.
#include <backstitch/model/access.hpp>
#include <backstitch/model/signature.hpp>
#include <backstitch/model/variable.hpp>

#include <type_traits>

namespace bs = backstitch;
using bs::detail::arguments_of;
using bs::detail::has_single_call_operator;
using bs::detail::result_of;
using bs::detail::type_list;

namespace test_signature {

struct x : bs::activation<float[4]> {};
struct y : bs::activation<float[4]> {};

// What every accepted operator below must read as.
using x_to_y = type_list<bs::in<x>, bs::out<y>>;

// Each cv-ref-noexcept form of a call operator that an engine can call on its op object.
struct plain {
  void operator()(bs::in<x>, bs::out<y>);
};
struct constant {
  void operator()(bs::in<x>, bs::out<y>) const;
};
struct no_throw {
  void operator()(bs::in<x>, bs::out<y>) noexcept;
};
struct constant_no_throw {
  void operator()(bs::in<x>, bs::out<y>) const noexcept;
};
struct on_lvalue {
  void operator()(bs::in<x>, bs::out<y>) &;
};
struct constant_on_lvalue {
  void operator()(bs::in<x>, bs::out<y>) const&;
};
struct on_lvalue_no_throw {
  void operator()(bs::in<x>, bs::out<y>) & noexcept;
};
struct constant_on_lvalue_no_throw {
  void operator()(bs::in<x>, bs::out<y>) const& noexcept;
};
static_assert(std::is_same_v<arguments_of<plain>, x_to_y>);
static_assert(std::is_same_v<arguments_of<constant>, x_to_y>);
static_assert(std::is_same_v<arguments_of<no_throw>, x_to_y>);
static_assert(std::is_same_v<arguments_of<constant_no_throw>, x_to_y>);
static_assert(std::is_same_v<arguments_of<on_lvalue>, x_to_y>);
static_assert(std::is_same_v<arguments_of<constant_on_lvalue>, x_to_y>);
static_assert(std::is_same_v<arguments_of<on_lvalue_no_throw>, x_to_y>);
static_assert(std::is_same_v<arguments_of<constant_on_lvalue_no_throw>, x_to_y>);

// An operator of a base class is the op's own.
struct inherited : constant {};
struct inherited_twice : inherited {};
static_assert(std::is_same_v<arguments_of<inherited>, x_to_y>);
static_assert(std::is_same_v<arguments_of<inherited_twice>, x_to_y>);
// One that is declared again hides the base's.
struct hiding : constant {
  void operator()(bs::in<y>) const;
};
static_assert(std::is_same_v<arguments_of<hiding>, type_list<bs::in<y>>>);
// Taken from a private base by name.
class exposed : constant {
 public:
  using constant::operator();
};
static_assert(std::is_same_v<arguments_of<exposed>, x_to_y>);

// A static or virtual member changes nothing; nor does state.
struct with_state {
  int calls = 0;
  virtual ~with_state() = default;
  virtual void operator()(bs::in<x>, bs::out<y>);
  static void helper(int);
};
static_assert(std::is_same_v<arguments_of<with_state>, x_to_y>);

// An op may take nothing at all.
struct nothing {
  void operator()() const;
};
static_assert(std::is_same_v<arguments_of<nothing>, type_list<>>);

// `const` on a by-value parameter is no part of a function's type.
struct constant_parameter {
  void operator()(const bs::in<x>, const bs::out<y>) const;
};
static_assert(std::is_same_v<arguments_of<constant_parameter>, x_to_y>);
// References stay visible, so that they can be refused.
struct by_reference {
  void operator()(const bs::in<x>&, bs::out<y>&&) const;
};
static_assert(
    std::is_same_v<arguments_of<by_reference>, type_list<const bs::in<x>&, bs::out<y>&&>>);
// Default arguments are no part of it either: the engine passes every argument.
struct defaulted {
  void operator()(bs::micro_batch = bs::micro_batch(3)) const;
};
static_assert(std::is_same_v<arguments_of<defaulted>, type_list<bs::micro_batch>>);

// The result, so that one that is not void can be refused.
struct returning {
  int operator()(bs::in<x>) const;
};
static_assert(std::is_same_v<result_of<plain>, void>);
static_assert(std::is_same_v<result_of<returning>, int>);

// A template that is instantiated before it stands in a stage.
template <class From, class To>
struct copy {
  void operator()(bs::in<From>, bs::out<To>) const;
};
static_assert(std::is_same_v<arguments_of<copy<x, y>>, x_to_y>);

// Not exactly one public operator() that an lvalue can be called with.
struct missing {};
struct overloaded {
  void operator()(bs::in<x>) const;
  void operator()(bs::in<y>) const;
};
struct overloaded_on_const {
  void operator()(bs::in<x>);
  void operator()(bs::in<x>) const;
};
struct templated {
  template <class T>
  void operator()(T) const;
};
struct generic {
  void operator()(auto) const;
};
class hidden {
  void operator()(bs::in<x>) const;
};
class guarded {
 protected:
  void operator()(bs::in<x>) const;
};
struct ambiguous : constant, plain {};
struct on_rvalue {
  void operator()(bs::in<x>) &&;
};
struct variadic {
  void operator()(bs::in<x>, ...) const;
};
struct member_object {
  void (*call)(bs::in<x>);
};
static_assert(has_single_call_operator<constant>);
static_assert(has_single_call_operator<inherited>);
static_assert(!has_single_call_operator<missing>);
static_assert(!has_single_call_operator<overloaded>);
static_assert(!has_single_call_operator<overloaded_on_const>);
static_assert(!has_single_call_operator<templated>);
static_assert(!has_single_call_operator<generic>);
static_assert(!has_single_call_operator<hidden>);
static_assert(!has_single_call_operator<guarded>);
static_assert(!has_single_call_operator<ambiguous>);
static_assert(!has_single_call_operator<on_rvalue>);
static_assert(!has_single_call_operator<variadic>);
static_assert(!has_single_call_operator<member_object>);
static_assert(!has_single_call_operator<int>);
static_assert(!has_single_call_operator<void>);

}  // namespace test_signature
