// EXPECT: stages_not_a_multiple<interleaved<2>, multiple_of<2>, got<3>, nearest<2>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct x : bs::activation<float[4]> {};
struct w : bs::parameter<float[4]> {};
struct dx : bs::activation_gradient<x> {};
struct dw : bs::gradient<w> {};
struct load : bs::forward {
  void operator()(bs::out<x>) const {}
};
struct use : bs::forward {
  void operator()(bs::in<x>, bs::in<w>) const {}
};
struct pass : bs::forward {
  void operator()(bs::in<x>) const {}
};

#ifdef BACKSTITCH_FAULT
using checked = bs::plan<bs::pipeline<bs::stage<load, use>, bs::stage<pass>, bs::stage<pass>>,
                         bs::interleaved<2>, bs::micro_batches<4>>;
#else
using checked = bs::plan<bs::pipeline<bs::stage<load, use>, bs::stage<pass>>, bs::interleaved<2>,
                         bs::micro_batches<4>>;
#endif
static_assert(sizeof(checked) != 0);
