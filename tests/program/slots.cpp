// How many values of a variable are held at once, per stage: closed forms, at compile time.
#include "backstitch/backstitch.hpp"

#include <cstddef>

namespace {

namespace bs = backstitch;

// Four stages that copy: no backward op reads the activation that its own stage sends.
template <int L>
struct x : bs::activation<float[4]> {};
template <int L>
struct dx : bs::activation_gradient<x<L>> {};
struct loss_value : bs::activation<float> {};
struct scratch : bs::activation<float> {};

struct load : bs::forward {
  void operator()(bs::out<x<0>>) const;
};
template <int L>
struct fwd : bs::forward {
  void operator()(bs::in<x<L>>, bs::out<x<L + 1>>) const;
};
template <int L>
struct bwd : bs::backward {
  void operator()(bs::in<x<L>>, bs::in<dx<L + 1>>, bs::out<dx<L>>) const;
};
struct bwd_first : bs::backward {
  void operator()(bs::in<x<0>>, bs::in<dx<1>>) const;
};
struct top : bs::forward, bs::loss {
  void operator()(bs::in<x<4>>, bs::out<dx<4>>, bs::out<loss_value>) const;
};

using copying = bs::pipeline<bs::stage<load, fwd<0>, bwd_first>, bs::stage<fwd<1>, bwd<1>>,
                             bs::stage<fwd<2>, bwd<2>>, bs::stage<fwd<3>, top, bwd<3>>>;

template <class Model, class Policy, int M, class Memory = bs::memory::reuse>
using plan_of = bs::plan<Model, Policy, bs::micro_batches<M>, Memory>;

constexpr int smaller(int a, int b) { return a < b ? a : b; }

// 1F1B holds min(M, R-r) inputs on rank r, the received ones in slots of their own.
template <int M, class Plan = plan_of<copying, bs::one_f_one_b_clamped, M>>
constexpr bool inputs_of_1f1b() {
  return Plan::template slot_count<x<0>, 0>() == smaller(M, 4) &&
         Plan::template slot_count<x<1>, 1>() == smaller(M, 3) &&
         Plan::template slot_count<x<2>, 2>() == smaller(M, 2) &&
         Plan::template slot_count<x<3>, 3>() == smaller(M, 1) &&
         Plan::peak_in_flight(0) == smaller(M, 4) && Plan::peak_in_flight(3) == 1;
}
static_assert(inputs_of_1f1b<1>());
static_assert(inputs_of_1f1b<2>());
static_assert(inputs_of_1f1b<3>());
static_assert(inputs_of_1f1b<4>());
static_assert(inputs_of_1f1b<5>());
static_assert(inputs_of_1f1b<8>());
static_assert(inputs_of_1f1b<64>());

// F-then-B holds all of them.
static_assert(plan_of<copying, bs::f_then_b, 6>::slot_count<x<0>, 0>() == 6);
static_assert(plan_of<copying, bs::f_then_b, 6>::slot_count<x<3>, 3>() == 6);

// Send buffers. The reference worker releases a backward send two backward steps later in the
// steady phase and the rest after the update: 2, and up to R-1-r more in the cool-down. Here a send
// has been copied when the next op starts, so one buffer serves every phase, the cool-down
// included.
template <class Plan>
constexpr bool one_send_buffer() {
  return Plan::template slot_count<x<1>, 0>() == 1 && Plan::template slot_count<x<2>, 1>() == 1 &&
         Plan::template slot_count<dx<1>, 1>() == 1 && Plan::template slot_count<dx<2>, 2>() == 1 &&
         Plan::template slot_count<dx<3>, 3>() == 1;
}
static_assert(one_send_buffer<plan_of<copying, bs::one_f_one_b, 4>>());  // no or one steady pair
static_assert(one_send_buffer<plan_of<copying, bs::one_f_one_b, 5>>());
static_assert(one_send_buffer<plan_of<copying, bs::one_f_one_b, 6>>());
static_assert(one_send_buffer<plan_of<copying, bs::one_f_one_b, 32>>());
static_assert(one_send_buffer<plan_of<copying, bs::one_f_one_b_clamped, 2>>());
static_assert(one_send_buffer<plan_of<copying, bs::f_then_b, 8>>());
// So does one slot for the gradient that arrives.
static_assert(plan_of<copying, bs::one_f_one_b, 8>::slot_count<dx<1>, 0>() == 1);

// A value that no op reads is an output: one slot per micro-batch.
static_assert(plan_of<copying, bs::one_f_one_b, 8>::slot_count<loss_value, 3>() == 8);
// A stage that does not name a variable holds none of it.
static_assert(plan_of<copying, bs::one_f_one_b, 8>::slot_count<loss_value, 0>() == 0);

// memory::keep: never reused within a step.
static_assert(plan_of<copying, bs::one_f_one_b, 8, bs::memory::keep>::slot_count<x<0>, 0>() == 8);
static_assert(plan_of<copying, bs::one_f_one_b, 8, bs::memory::keep>::slot_count<x<3>, 3>() == 8);
static_assert(plan_of<copying, bs::one_f_one_b, 8, bs::memory::keep>::slot_count<dx<2>, 1>() == 8);

// A skip edge has a channel at least two deep, so that the far stage does not hold up the near one.
struct load_with_label : bs::forward {
  void operator()(bs::out<x<0>>, bs::out<scratch>) const;
};
struct top_with_label : bs::forward, bs::loss {
  void operator()(bs::in<x<4>>, bs::in<scratch>, bs::out<dx<4>>, bs::out<loss_value>) const;
};
using skipping =
    bs::pipeline<bs::stage<load_with_label, fwd<0>, bwd_first>, bs::stage<fwd<1>, bwd<1>>,
                 bs::stage<fwd<2>, bwd<2>>, bs::stage<fwd<3>, top_with_label, bwd<3>>>;
static_assert(plan_of<skipping, bs::one_f_one_b, 8>::slot_count<scratch, 3>() >= 2);
static_assert(plan_of<skipping, bs::one_f_one_b, 8>::slot_count<scratch, 3>() <= 4);
static_assert(plan_of<skipping, bs::one_f_one_b, 8>::slot_count<scratch, 0>() == 1);
// Under F-then-B too, ranks work at the same time: a far receiver that had one slot would hold the
// sender up once per micro-batch.
static_assert(plan_of<skipping, bs::f_then_b, 8>::slot_count<scratch, 3>() >= 2);

// The optimizer reads the activation of micro-batch M-1 only: its slot lives on, the others do not.
struct w : bs::parameter<float> {};
struct upd : bs::optimize {
  void operator()(bs::in<x<0>>, bs::inout<w>) const;
};
using reading = bs::pipeline<bs::stage<load, fwd<0>, upd>>;
static_assert(plan_of<reading, bs::one_f_one_b, 8>::slot_count<x<0>, 0>() == 1);
// Without it the value dies with its forward.
using unread = bs::pipeline<bs::stage<load, fwd<0>>>;
static_assert(plan_of<unread, bs::f_then_b, 8>::slot_count<x<0>, 0>() == 1);

}  // namespace
