// EXPECT: forwards_out_of_order<last_first, rate, on_rank<0>, at_slot<0>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct lr : bs::step_value<float> {};
struct rate : bs::lr_schedule {
  void operator()(bs::out<lr>) const {}
};
struct use : bs::forward {
  void operator()(bs::in<lr>) const {}
};
struct last_first {
  static constexpr int min_micro_batches(int) { return 1; }
  template <class Sink>
  static constexpr void generate(bs::shape s, int rank, Sink& sink) {
#ifdef BACKSTITCH_FAULT
    for (int m = s.micro_batches; m-- > 0;) sink.forward(rank, m);
#else
    for (int m = 0; m < s.micro_batches; ++m) sink.forward(rank, m);
#endif
    for (int m = s.micro_batches; m-- > 0;) sink.backward(rank, m);
  }
};

using plan = bs::plan<bs::pipeline<bs::stage<rate, use>>, last_first, bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
