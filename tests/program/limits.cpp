// The largest sizes that a plan accepts compile under default limits, all the way to the loops that
// a rank runs; one micro-batch more is refused in our own words.
#include "backstitch/backstitch.hpp"

#include <type_traits>

namespace {

namespace bs = backstitch;
namespace d = backstitch::detail;

template <int L>
struct x : bs::activation<float> {};
template <int L>
struct dx : bs::activation_gradient<x<L>> {};
struct lr : bs::step_value<float> {};
struct load : bs::forward {
  void operator()(bs::out<x<0>>) const;
};
struct ramp : bs::lr_schedule {
  void operator()(bs::out<lr>) const;
};
template <int L>
struct fwd : bs::forward {
  void operator()(bs::in<x<L>>, bs::out<x<L + 1>>) const;
};
template <int L>
struct bwd : bs::backward {
  void operator()(bs::in<x<L>>, bs::in<dx<L + 1>>, bs::out<dx<L>>) const;
};
template <int L>
struct top : bs::backward {
  void operator()(bs::in<x<L>>, bs::out<dx<L>>) const;
};

using one = bs::pipeline<bs::stage<load, ramp, fwd<0>, top<1>, bwd<0>>>;
using four = bs::pipeline<bs::stage<load, ramp, fwd<0>, bwd<0>>, bs::stage<fwd<1>, bwd<1>>,
                          bs::stage<fwd<2>, bwd<2>>, bs::stage<fwd<3>, top<4>, bwd<3>>>;
// The skip edge of the label takes early receives.
struct label : bs::activation<float> {};
struct load_label : bs::forward {
  void operator()(bs::out<x<0>>, bs::out<label>) const;
};
struct top_label : bs::backward {
  void operator()(bs::in<x<4>>, bs::in<label>, bs::out<dx<4>>) const;
};
using skip = bs::pipeline<bs::stage<load_label, fwd<0>, bwd<0>>, bs::stage<fwd<1>, bwd<1>>,
                          bs::stage<fwd<2>, bwd<2>>, bs::stage<fwd<3>, top_label, bwd<3>>>;

template <class Model, class Policy, int M>
using plan_of = bs::plan<Model, Policy, bs::micro_batches<M>>;

using long_one = plan_of<one, bs::f_then_b, 8192>;
static_assert(long_one::slot_count<x<0>, 0>() == 8192);
static_assert(d::segments_v<long_one, 0>.count == 4);  // F of 0, F, B, update

using long_pairs = plan_of<one, bs::one_f_one_b, 8192>;
static_assert(long_pairs::slot_count<x<0>, 0>() == 1);
static_assert(d::segments_v<long_pairs, 0>.count == 3);

using long_four = plan_of<four, bs::one_f_one_b, 2048>;
static_assert(long_four::slot_count<x<0>, 0>() == 4);
static_assert(d::segments_v<long_four, 0>.count ==
              d::segments_v<plan_of<four, bs::one_f_one_b, 16>, 0>.count);
static_assert(d::segments_v<long_four, 3>.count ==
              d::segments_v<plan_of<four, bs::one_f_one_b, 16>, 3>.count);

using long_skip = plan_of<skip, bs::f_then_b, 2048>;
static_assert(long_skip::slot_count<label, 3>() == 2048);
static_assert(d::segments_v<long_skip, 3>.count > 0);

static_assert(std::is_same_v<d::plan_verdict<plan_of<four, bs::one_f_one_b, 4097>>,
                             bs::error::too_many_actions<bs::one_f_one_b, bs::error::at_most<24576>,
                                                         bs::error::got<24582>>>);

}  // namespace
