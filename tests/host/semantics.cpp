// The semantics of the reference worker, row by row: what runs when, in which scope, how often.
#include "backstitch/backstitch.hpp"
#include "backstitch/host/engine.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace bs = backstitch;

// -- One stage whose ops stand in a wild order, with a log of what ran ---------------------------

struct a : bs::activation<int> {};
struct b : bs::activation<int> {};
struct result : bs::activation<int> {};
struct da : bs::activation_gradient<a> {};
struct weight : bs::parameter<int> {
  static void init(int& v) { v = 100; }
};
struct grad : bs::gradient<weight> {};
struct rate : bs::step_value<int> {};
struct half_rate : bs::step_value<int> {};
struct seen : bs::buffer<int> {};
struct last_a : bs::state<weight, int> {};

std::vector<std::string> log;  // one rank: no lock needed
void note(const char* what, std::size_t m) { log.push_back(what + std::to_string(m)); }

struct update : bs::optimize {
  void operator()(bs::micro_batch m, bs::in<a> value, bs::in<rate> r, bs::in<grad> g,
                  bs::inout<weight> w, bs::inout<last_a> kept) const {
    note("update", m);
    *w -= *r * *g;
    *kept = *value;  // the optimizer sees the activations of micro-batch M-1
  }
};
struct backward_one : bs::backward {
  void operator()(bs::micro_batch m, bs::in<a> value, bs::out<da> to) const {
    note("b1.", m);
    *to = *value * 2;
  }
};
struct second_lr : bs::lr_schedule {
  void operator()(bs::micro_batch m, bs::in<rate> r, bs::in<seen> count,
                  bs::out<half_rate> to) const {
    note("lr2.", m);
    *to = *r / 2 + *count;
  }
};
struct forward_one : bs::forward {
  void operator()(bs::step_index step, bs::micro_batch m, bs::inout<seen> count,
                  bs::out<a> to) const {
    note("f1.", m);
    ++*count;
    *to = static_cast<int>(step * 100 + m);
  }
};
struct first_lr : bs::lr_schedule {
  void operator()(bs::step_index step, bs::micro_batch m, bs::in<seen> count,
                  bs::out<rate> to) const {
    note("lr1.", m);
    *to = static_cast<int>(step) + *count;  // runs after forward_one of micro-batch 0
  }
};
struct forward_two : bs::forward, bs::loss {
  void operator()(bs::micro_batch m, bs::in<a> from, bs::in<rate> r, bs::out<b> to,
                  bs::out<result> out) const {
    note("f2.", m);
    *to = *from + 1;
    *out = *r * 1000 + *to;
  }
};
struct backward_two : bs::backward, bs::loss {
  void operator()(bs::micro_batch m, bs::in<b> value, bs::in<da> d, bs::accumulate<grad> to) const {
    note("b2.", m);
    *to += *value + *d;
  }
};

using wild = bs::pipeline<
    bs::stage<update, backward_one, forward_one, first_lr, forward_two, second_lr, backward_two>>;

std::vector<std::string> one_step(bool pairs) {
  std::vector<std::string> w;
  const auto forward = [&](int m) {
    const std::string n = std::to_string(m);
    w.push_back("f1." + n);
    if (m == 0) w.push_back("lr1.0");
    w.push_back("f2." + n);
    if (m == 0) w.push_back("lr2.0");
  };
  const auto backward = [&](int m) {
    w.push_back("b1." + std::to_string(m));
    w.push_back("b2." + std::to_string(m));
  };
  for (int m = 0; m < 3; ++m) {
    forward(m);
    if (pairs) backward(m);
  }
  for (int m = 0; m < 3 && !pairs; ++m) backward(m);
  w.push_back("update2");
  return w;
}

template <class Policy>
void check_order(bool pairs) {
  bs::host::engine<bs::plan<wild, Policy, bs::micro_batches<3>>> engine;
  for (int step = 0; step < 2; ++step) {
    CAPTURE(step);
    log.clear();
    engine.step();
    CHECK(log == one_step(pairs));
    // The rate saw the buffer after the forward op of micro-batch 0 that stands before it.
    CHECK(engine.template get<rate>() == step + 3 * step + 1);
    for (std::size_t m = 0; m < 3; ++m) {
      CHECK(engine.template get<result>(m) ==
            engine.template get<rate>() * 1000 + step * 100 + static_cast<int>(m) + 1);
    }
    CHECK(engine.template get<last_a>() == step * 100 + 2);
    // Zeroed at the start of each step: sum over m of (a + 1) + 2 a.
    CHECK(engine.template get<grad>() == 3 + 3 * (3 * step * 100 + 0 + 1 + 2));
  }
  CHECK(engine.template get<seen>() == 6);
  CHECK(engine.steps() == 2);
}

}  // namespace

TEST_CASE("ops are sorted by role and keep the program order within one") {
  check_order<bs::f_then_b>(false);
  check_order<bs::one_f_one_b>(true);
  check_order<bs::one_f_one_b_clamped>(true);
}

TEST_CASE("one micro-batch is an ordinary case") {
  log.clear();
  bs::host::engine<bs::plan<wild, bs::one_f_one_b, bs::micro_batches<1>>> engine;
  engine.step();
  CHECK(log ==
        std::vector<std::string>{"f1.0", "lr1.0", "f2.0", "lr2.0", "b1.0", "b2.0", "update0"});
}

// -- Two stages: every stage has its own learning rate -------------------------------------------

namespace {

struct x : bs::activation<int> {};
struct y : bs::activation<int> {};
struct dx : bs::activation_gradient<x> {};
struct lr : bs::step_value<int> {};

struct ramp : bs::lr_schedule {
  int factor = 1;
  int calls = 0;
  void operator()(bs::step_index step, bs::stage_index stage, bs::out<lr> to) {
    ++calls;
    *to = factor * static_cast<int>(10 * stage + step);
  }
};
struct make : bs::forward {
  void operator()(bs::micro_batch m, bs::in<lr> r, bs::out<x> to) const {
    *to = static_cast<int>(m) + 1000 * *r;
  }
};
struct use : bs::forward, bs::loss {
  void operator()(bs::in<x> from, bs::in<lr> r, bs::micro_batch_count count, bs::out<y> to,
                  bs::out<dx> d) const {
    *to = *from + 100000 * *r;
    *d = static_cast<int>(count) * *from;
  }
};
struct back : bs::backward {
  std::vector<int> got;
  void operator()(bs::in<dx> d) { got.push_back(*d); }
};

using two = bs::pipeline<bs::stage<ramp, make, back>, bs::stage<ramp, use>>;

}  // namespace

TEST_CASE("each stage has a learning-rate op and value of its own") {
  bs::host::engine<bs::plan<two, bs::one_f_one_b, bs::micro_batches<4>>> engine;
  engine.op<ramp, 1>().factor = 2;
  engine.run(3);
  CHECK(engine.get<lr>(0) == 2);
  CHECK(engine.get<lr>(1) == 24);
  CHECK(engine.op<ramp, 0>().calls == 3);
  CHECK(engine.op<ramp, 1>().calls == 3);
  for (std::size_t m = 0; m < 4; ++m) {
    CHECK(engine.get<y>(m) == static_cast<int>(m) + 2000 + 2400000);
  }
  // A gradient made by a forward op crosses backwards, micro-batch by micro-batch.
  CHECK(engine.op<back>().got.size() == 12);
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(engine.op<back>().got[i] == 4 * static_cast<int>(i % 4 + 1000 * (i / 4)));
  }
}

TEST_CASE("memory::keep: every value can be read after the step") {
  bs::host::engine<bs::plan<two, bs::f_then_b, bs::micro_batches<4>, bs::memory::keep>> engine;
  engine.step();
  for (std::size_t m = 0; m < 4; ++m) {
    CHECK(engine.get<x>(m) == static_cast<int>(m));
    CHECK(engine.get<dx>(m) == 4 * static_cast<int>(m));
  }
  // Kept slots are written anew each step.
  engine.run(2);
  CHECK(engine.get<x>(3) == 3 + 2000);
}

TEST_CASE("numbers outside the plan are refused by name") {
  bs::host::engine<bs::plan<two, bs::f_then_b, bs::micro_batches<4>>> engine;
  engine.step();
  try {
    engine.get<y>(4);
    FAIL("no exception");
  } catch (const bs::out_of_plan& e) {
    CHECK(std::string_view(e.what()).find("micro-batch 4") != std::string_view::npos);
    CHECK(std::string_view(e.what()).find("the last one is 3") != std::string_view::npos);
  }
  try {
    engine.get<lr>(2);
    FAIL("no exception");
  } catch (const bs::out_of_plan& e) {
    CHECK(std::string_view(e.what()).find("stage 2") != std::string_view::npos);
  }
}

TEST_CASE("no steps are no work") {
  bs::host::engine<bs::plan<two, bs::f_then_b, bs::micro_batches<4>>> engine;
  engine.run(0);
  CHECK(engine.steps() == 0);
  CHECK(engine.op<ramp, 0>().calls == 0);
}
