// The measured pipeline as Backstitch ops.
#pragma once

#include "backstitch/backstitch.hpp"

#include "arithmetic.hpp"

#include <cstddef>

namespace executors::ops {

namespace bs = backstitch;

template <int S>
struct x : bs::activation<vec> {};
template <int S>
struct h : bs::activation<vec> {};
template <int S>
struct y : bs::activation<vec> {};
template <int S>
struct r : bs::activation<vec> {};
struct loss_value : bs::activation<float> {};
template <int S>
struct dx : bs::activation_gradient<x<S>> {};
template <int S>
struct dy : bs::activation_gradient<y<S>> {};
template <int S>
struct w : bs::parameter<vec> {
  static void init(vec& v) { v = initial_weight; }
};
template <int S>
struct b : bs::parameter<vec> {};
template <int S>
struct dw : bs::gradient<w<S>> {};
template <int S>
struct db : bs::gradient<b<S>> {};
struct rate : bs::step_value<float> {};

struct decay_op : bs::lr_schedule {
  void operator()(bs::step_index step, bs::out<rate> to) const { decay(step, *to); }
};

struct load_op : bs::forward {
  void operator()(bs::micro_batch m, bs::out<x<0>> to) const { load(m, *to); }
};
template <int S>
struct scale_op : bs::forward {
  void operator()(bs::in<x<S>> from, bs::in<w<S>> weight, bs::out<h<S>> to) const {
    multiply(*from, *weight, *to);
  }
};
template <int S>
struct shift_op : bs::forward {
  void operator()(bs::in<h<S>> from, bs::in<b<S>> bias, bs::out<y<S>> to) const {
    add(*from, *bias, *to);
  }
};
template <int S>
struct clip_op : bs::forward {
  void operator()(bs::in<y<S>> from, bs::out<r<S>> to) const { clip(*from, *to); }
};
template <int S>
struct halve_op : bs::forward {
  void operator()(bs::in<r<S>> from, bs::out<x<S + 1>> to) const { halve(*from, *to); }
};
template <int S>
struct loss_op : bs::forward, bs::loss {
  void operator()(bs::in<r<S>> from, bs::out<dx<S + 1>> d, bs::out<loss_value> value) const {
    measure_loss(*from, *d, *value);
  }
};

template <int S>
struct clip_back : bs::backward {
  void operator()(bs::in<dx<S + 1>> d, bs::in<y<S>> value, bs::out<dy<S>> to) const {
    executors::clip_back(*d, *value, *to);
  }
};
template <int S>
struct shift_back : bs::backward {
  void operator()(bs::in<dy<S>> d, bs::accumulate<db<S>> to) const { accumulate(*d, *to); }
};
template <int S>
struct weight_back : bs::backward {
  void operator()(bs::in<dy<S>> d, bs::in<x<S>> from, bs::accumulate<dw<S>> to) const {
    accumulate_product(*d, *from, *to);
  }
};
template <int S>
struct scale_back : bs::backward {
  void operator()(bs::in<dy<S>> d, bs::in<w<S>> weight, bs::out<dx<S>> to) const {
    multiply(*d, *weight, *to);
  }
};

template <int S>
struct sgd_w : bs::optimize {
  void operator()(bs::in<rate> by, bs::in<dw<S>> g, bs::inout<w<S>> to) const {
    descend(*by, *g, *to);
  }
};
template <int S>
struct sgd_b : bs::optimize {
  void operator()(bs::in<rate> by, bs::in<db<S>> g, bs::inout<b<S>> to) const {
    descend(*by, *g, *to);
  }
};

static_assert(stage_count == 4);
using first = bs::stage<decay_op, load_op, scale_op<0>, shift_op<0>, clip_op<0>, halve_op<0>,
                        clip_back<0>, shift_back<0>, weight_back<0>, sgd_w<0>, sgd_b<0>>;
template <int S>
using middle = bs::stage<decay_op, scale_op<S>, shift_op<S>, clip_op<S>, halve_op<S>, clip_back<S>,
                         shift_back<S>, weight_back<S>, scale_back<S>, sgd_w<S>, sgd_b<S>>;
using last = bs::stage<decay_op, scale_op<3>, shift_op<3>, clip_op<3>, loss_op<3>, clip_back<3>,
                       shift_back<3>, weight_back<3>, scale_back<3>, sgd_w<3>, sgd_b<3>>;

using model = bs::pipeline<first, middle<1>, middle<2>, last>;
}  // namespace executors::ops
