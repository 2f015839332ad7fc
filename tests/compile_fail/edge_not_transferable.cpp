// EXPECT: edge_not_transferable<x, in_stage<0>, in_stage<1>>
#include <backstitch/backstitch.hpp>

#include <memory>

namespace bs = backstitch;

struct x : bs::activation<std::unique_ptr<int>> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const;
};
struct use : bs::forward {
  void operator()(bs::in<x>) const;
};
#ifdef BACKSTITCH_FAULT
struct use_again : bs::backward {
#else
struct use_again : bs::forward {
#endif
  void operator()(bs::in<x>) const;
};

using model = bs::pipeline<bs::stage<load, use_again>, bs::stage<use>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
