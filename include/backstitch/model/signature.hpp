// The parameter list of an op's call operator, read off `&Op::operator()`.
#pragma once

#include "backstitch/model/type_list.hpp"

#include <cstddef>

namespace backstitch::detail {

template <class Result, class... Args>
struct signature_is {
  using result = Result;
  using arguments = type_list<Args...>;
};

template <class F>
struct signature_of_member;
template <class R, class C, class... A>
struct signature_of_member<R (C::*)(A...)> : signature_is<R, A...> {};
template <class R, class C, class... A>
struct signature_of_member<R (C::*)(A...) const> : signature_is<R, A...> {};
template <class R, class C, class... A>
struct signature_of_member<R (C::*)(A...) noexcept> : signature_is<R, A...> {};
template <class R, class C, class... A>
struct signature_of_member<R (C::*)(A...) const noexcept> : signature_is<R, A...> {};
template <class R, class C, class... A>
struct signature_of_member<R (C::*)(A...)&> : signature_is<R, A...> {};
template <class R, class C, class... A>
struct signature_of_member<R (C::*)(A...) const&> : signature_is<R, A...> {};
template <class R, class C, class... A>
struct signature_of_member<R (C::*)(A...)& noexcept> : signature_is<R, A...> {};
template <class R, class C, class... A>
struct signature_of_member<R (C::*)(A...) const& noexcept> : signature_is<R, A...> {};

// False for a missing, overloaded, templated or inaccessible call operator.
template <class Op>
concept has_single_call_operator = requires {
  typename signature_of_member<decltype(&Op::operator())>::arguments;
};

template <class Op>
using arguments_of = typename signature_of_member<decltype(&Op::operator())>::arguments;
template <class Op>
using result_of = typename signature_of_member<decltype(&Op::operator())>::result;

}  // namespace backstitch::detail
