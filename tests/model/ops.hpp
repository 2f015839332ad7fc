// Ops for tests of the model layer, named by their role and what they take:
//
//   fwd<in<x>, out<y>>         a forward op from x to y
//   fwd<tag<1>, in<x>, out<y>> another op type with the same signature
#pragma once

#include <backstitch/model/access.hpp>
#include <backstitch/model/pipeline.hpp>
#include <backstitch/model/role.hpp>

namespace backstitch::test {

template <int>
struct tag {};

template <class Role, class... Args>
struct op : Role {
  void operator()(Args...) const;
};
template <class Role, int I, class... Args>
struct op<Role, tag<I>, Args...> : Role {
  void operator()(Args...) const;
};

template <class... Args>
using fwd = op<forward, Args...>;
template <class... Args>
using bwd = op<backward, Args...>;
template <class... Args>
using opt = op<optimize, Args...>;
template <class... Args>
using lrs = op<lr_schedule, Args...>;

}  // namespace backstitch::test
