// EXPECT: value_not_movable<x>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct counter {
  int value = 0;
  counter() = default;
#ifdef BACKSTITCH_FAULT
  counter& operator=(const counter&) = delete;
#else
  counter& operator=(const counter&) = default;
#endif
};
struct x : bs::activation<counter> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const;
};

using model = bs::pipeline<bs::stage<load>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
