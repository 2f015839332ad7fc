// EXPECT: read_but_never_written<use, labels, in_stage<1>>
#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct labels : bs::activation<int[4]> {};
#ifdef BACKSTITCH_FAULT
struct load : bs::forward {
  void operator()(bs::out<x>) const;
};
#else
struct load : bs::forward {
  void operator()(bs::out<x>, bs::out<labels>) const;
};
#endif
struct use : bs::forward {
  void operator()(bs::in<x>, bs::in<labels>) const;
};

using model = bs::pipeline<bs::stage<load>, bs::stage<use>>;
using plan = bs::plan<model, bs::f_then_b, bs::micro_batches<4>>;

static_assert(sizeof(plan) != 0);
