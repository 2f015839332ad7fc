// A policy is any type with the generator: proven, planned and run like the library's own.
#include "backstitch/backstitch.hpp"
#include "backstitch/host/engine.hpp"

#include "support/compare.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace {

namespace bs = backstitch;

// All forwards, then the backwards last in, first out.
struct f_then_b_reversed {
  static constexpr int min_micro_batches(int /*ranks*/) { return 1; }
  template <class Sink>
  static constexpr void generate(bs::shape s, int rank, Sink& sink) {
    for (int m = 0; m < s.micro_batches; ++m) sink.forward(rank, m);
    for (int m = s.micro_batches; m-- > 0;) sink.backward(rank, m);
  }
};

// The micro-batches last first.
struct descending {
  static constexpr int min_micro_batches(int /*ranks*/) { return 1; }
  template <class Sink>
  static constexpr void generate(bs::shape s, int rank, Sink& sink) {
    for (int m = s.micro_batches; m-- > 0;) sink.forward(rank, m);
    for (int m = s.micro_batches; m-- > 0;) sink.backward(rank, m);
  }
};

static_assert(bs::schedule_policy<f_then_b_reversed>);
static_assert(
    bs::schedule<f_then_b_reversed, bs::ranks<3>, bs::micro_batches<5>>::peak_in_flight(0) == 5);

struct x : bs::activation<int> {};
struct y : bs::activation<int> {};
struct make : bs::forward {
  void operator()(bs::micro_batch m, bs::out<x> to) const { *to = static_cast<int>(m) + 1; }
};
struct use : bs::forward {
  std::vector<std::size_t> order;
  void operator()(bs::micro_batch m, bs::in<x> from, bs::out<y> to) {
    order.push_back(m);
    *to = *from * 10;
  }
};
using plain = bs::pipeline<bs::stage<make>, bs::stage<use>>;

// A learning rate is written with micro-batch 0, before the others read it: the order matters.
struct rate : bs::step_value<int> {};
struct set_rate : bs::lr_schedule {
  void operator()(bs::out<rate> to) const { *to = 1; }
};
struct read_rate : bs::forward {
  void operator()(bs::in<rate>, bs::out<x>) const {}
};
using with_rate = bs::pipeline<bs::stage<set_rate, read_rate>>;
template <class Policy>
using verdict_with_rate =
    bs::detail::plan_verdict<bs::plan<with_rate, Policy, bs::micro_batches<3>>>;
static_assert(std::is_same_v<verdict_with_rate<f_then_b_reversed>, bs::error::accepted>);
static_assert(
    std::is_same_v<verdict_with_rate<descending>,
                   bs::error::forwards_out_of_order<descending, set_rate, bs::error::on_rank<0>,
                                                    bs::error::at_slot<0>>>);
// So it does for a buffer.
struct count : bs::buffer<int> {};
struct counting_only : bs::forward {
  void operator()(bs::inout<count>) const {}
};
using with_count = bs::pipeline<bs::stage<counting_only>>;
static_assert(
    std::is_same_v<bs::detail::plan_verdict<bs::plan<with_count, descending, bs::micro_batches<3>>>,
                   bs::error::forwards_out_of_order<descending, counting_only,
                                                    bs::error::on_rank<0>, bs::error::at_slot<0>>>);

}  // namespace

TEST_CASE("backwards in reverse: the same work, exactly once") {
  using plan = bs::plan<chain::model<3>, f_then_b_reversed, bs::micro_batches<4>>;
  bs::host::engine<plan> engine;
  engine.run(2);
  CHECK(engine.op<chain::scale<1>>().micro_batches == chain::in_order(4, 2));
  CHECK(engine.op<chain::scale_back<1>>().micro_batches ==
        std::vector<std::size_t>{3, 2, 1, 0, 3, 2, 1, 0});
  CHECK(engine.op<chain::sgd<2>>().micro_batches == std::vector<std::size_t>{3, 3});
}

TEST_CASE("descending micro-batches, where no op counts on the order") {
  using plan = bs::plan<plain, descending, bs::micro_batches<5>>;
  bs::host::engine<plan> engine;
  engine.run(3);
  for (std::size_t m = 0; m < 5; ++m) CHECK(engine.get<y>(m) == 10 * (static_cast<int>(m) + 1));
  CHECK(engine.op<use>().order.size() == 15);
  CHECK(engine.op<use>().order[0] == 4);
}
