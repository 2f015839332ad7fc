// Two stages for the cases that ask an engine for something: x is reused, y is kept, `idle` stands
// in both stages, `other` and `unused` in none.
#pragma once

#include "backstitch/backstitch.hpp"
#include "backstitch/host/engine.hpp"

namespace bs = backstitch;

struct x : bs::activation<float> {};
struct y : bs::activation<float> {};
struct w : bs::parameter<float> {};
struct other : bs::parameter<float> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const {}
};
struct use : bs::forward {
  void operator()(bs::in<x>, bs::in<w>, bs::out<y>) const {}
};
struct unused : bs::forward {
  void operator()() const {}
};
struct idle : bs::forward {
  void operator()() const {}
};

using model = bs::pipeline<bs::stage<load, idle>, bs::stage<use, idle>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<2>>;
