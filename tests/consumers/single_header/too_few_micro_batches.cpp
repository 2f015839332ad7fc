// EXPECT: too_few_micro_batches<one_f_one_b, needed<4>, got<3>, try_instead<one_f_one_b_clamped>>
#include <backstitch.hpp>

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const;
};
struct use : bs::forward {
  void operator()(bs::in<x>) const;
};

using model = bs::pipeline<bs::stage<load>, bs::stage<use>, bs::stage<use>, bs::stage<use>>;
#ifdef BACKSTITCH_FAULT
using plan = bs::plan<model, bs::one_f_one_b, bs::micro_batches<3>>;
#else
using plan = bs::plan<model, bs::one_f_one_b, bs::micro_batches<4>>;
#endif

static_assert(sizeof(plan) != 0);
