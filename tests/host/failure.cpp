// An exception in any op stops every rank and leaves step() on the caller's thread, by name.
#include "backstitch/backstitch.hpp"
#include "backstitch/host/engine.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

namespace {

namespace bs = backstitch;
using namespace std::chrono_literals;

template <int L>
struct x : bs::activation<int[3]> {};
template <int L>
struct dx : bs::activation_gradient<x<L>> {};
struct lr : bs::step_value<float> {};
template <int L>
struct w : bs::parameter<int> {};
template <int L>
struct dw : bs::gradient<w<L>> {};

// Where to throw or sleep. Read by the ranks, written between steps only.
struct trap {
  int stage = -1;
  bs::op_group group = bs::op_group::forward;
  std::size_t micro_batch = 0;
  std::size_t step = 0;
  bool odd_type = false;
  std::chrono::milliseconds sleep{0};
} armed;

struct custom : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void spring(bs::stage_index stage, bs::op_group group, std::size_t m, std::size_t step) {
  if (armed.stage != static_cast<int>(stage) || armed.group != group || armed.micro_batch != m ||
      armed.step != step) {
    return;
  }
  if (armed.sleep > 0ms) return std::this_thread::sleep_for(armed.sleep);
  if (armed.odd_type) throw 42;
  throw custom("it broke");
}

template <int L>
struct fwd : bs::forward {
  void operator()(bs::stage_index s, bs::micro_batch m, bs::step_index step, bs::in<x<L>> from,
                  bs::in<w<L>> weight, bs::out<x<L + 1>> to) const {
    spring(s, bs::op_group::forward, m, step);
    for (std::size_t i = 0; i < 3; ++i) to[i] = from[i] + *weight;
  }
};
struct source : bs::forward {
  void operator()(bs::stage_index s, bs::micro_batch m, bs::step_index step, bs::in<w<0>> weight,
                  bs::out<x<1>> to) const {
    spring(s, bs::op_group::forward, m, step);
    for (std::size_t i = 0; i < 3; ++i) to[i] = static_cast<int>(m + i) + *weight;
  }
};
template <int L>
struct bwd : bs::backward {
  void operator()(bs::stage_index s, bs::micro_batch m, bs::step_index step, bs::in<dx<L + 1>> from,
                  bs::accumulate<dw<L>> g, bs::out<dx<L>> to) const {
    spring(s, bs::op_group::backward, m, step);
    for (std::size_t i = 0; i < 3; ++i) to[i] = from[i];
    *g += from[0];
  }
};
struct end_of_backward : bs::backward {
  void operator()(bs::stage_index s, bs::micro_batch m, bs::step_index step, bs::in<dx<1>> from,
                  bs::accumulate<dw<0>> g) const {
    spring(s, bs::op_group::backward, m, step);
    *g += from[0];
  }
};
template <int L>
struct top : bs::backward, bs::loss {
  void operator()(bs::in<x<L>> from, bs::out<dx<L>> to) const {
    for (std::size_t i = 0; i < 3; ++i) to[i] = from[i];
  }
};
struct ramp : bs::lr_schedule {
  void operator()(bs::stage_index s, bs::micro_batch m, bs::step_index step, bs::out<lr> to) const {
    spring(s, bs::op_group::lr_schedule, m, step);
    *to = 1;
  }
};
template <int L>
struct upd : bs::optimize {
  void operator()(bs::stage_index s, bs::micro_batch m, bs::step_index step, bs::in<lr> r,
                  bs::in<dw<L>> g, bs::inout<w<L>> to) const {
    spring(s, bs::op_group::optimize, m, step);
    *to += static_cast<int>(*r) * *g % 3;
  }
};

using model_4 =
    bs::pipeline<bs::stage<source, end_of_backward, ramp, upd<0>>,
                 bs::stage<fwd<1>, bwd<1>, ramp, upd<1>>, bs::stage<fwd<2>, bwd<2>, ramp, upd<2>>,
                 bs::stage<fwd<3>, top<4>, bwd<3>, ramp, upd<3>>>;
using model_1 = bs::pipeline<bs::stage<source, top<1>, end_of_backward, ramp, upd<0>>>;

template <class Plan>
void check_throw(trap t) {
  CAPTURE(t.stage);
  CAPTURE(static_cast<int>(t.group));
  CAPTURE(t.micro_batch);
  armed = t;
  bs::host::engine<Plan> engine;
  engine.run(t.step);
  bool thrown = false;
  try {
    engine.run(2);
  } catch (const bs::op_failure& e) {
    thrown = true;
    CHECK(e.position.rank == t.stage);
    CHECK(e.position.stage == t.stage);
    CHECK(e.position.group == t.group);
    CHECK(e.position.micro_batch == t.micro_batch);
    CHECK(e.position.step == t.step);
    const std::string text = e.what();
    const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
    CHECK(has("rank " + std::to_string(t.stage)));
    CHECK(has("stage " + std::to_string(t.stage)));
    CHECK(has(bs::group_name(t.group)));
    CHECK(has("micro-batch " + std::to_string(t.micro_batch)));
    CHECK(has("step " + std::to_string(t.step)));
    CHECK(has(std::string(e.position.op)));
    try {
      std::rethrow_if_nested(e);
      FAIL_CHECK("nothing nested");
    } catch (const custom& original) {
      CHECK_FALSE(t.odd_type);
      CHECK(has("it broke"));
      CHECK(std::string_view(original.what()) == "it broke");
    } catch (int original) {
      CHECK(t.odd_type);
      CHECK(original == 42);
    }
  }
  CHECK(thrown);
  CHECK(engine.steps() == t.step);
  // Dead, and says of what; values can be read; the destructor does not hang.
  for (int again = 0; again < 2; ++again) {
    try {
      engine.step();
      FAIL_CHECK("a dead engine ran");
    } catch (const bs::engine_dead& e) {
      CHECK(std::string_view(e.what()).find("micro-batch") != std::string_view::npos);
    }
  }
  CHECK(engine.template get<w<0>>() >= 0);
  armed = {};
}

template <class Plan>
void check_everywhere() {
  constexpr std::size_t last = Plan::micro_batches - 1;
  for (int stage = 0; stage < Plan::ranks; ++stage) {
    for (std::size_t m = 0; m <= last; ++m) {
      check_throw<Plan>({.stage = stage, .group = bs::op_group::forward, .micro_batch = m});
      check_throw<Plan>(
          {.stage = stage, .group = bs::op_group::backward, .micro_batch = m, .step = 2});
    }
    check_throw<Plan>(
        {.stage = stage, .group = bs::op_group::lr_schedule, .micro_batch = 0, .step = 1});
    check_throw<Plan>({.stage = stage, .group = bs::op_group::optimize, .micro_batch = last});
  }
  check_throw<Plan>({.stage = 0, .group = bs::op_group::backward, .odd_type = true});
}

}  // namespace

TEST_CASE("1F1B: a throw in every role, rank and micro-batch") {
  check_everywhere<bs::plan<model_4, bs::one_f_one_b, bs::micro_batches<5>>>();
}
TEST_CASE("F-then-B: a throw in every role, rank and micro-batch") {
  check_everywhere<bs::plan<model_4, bs::f_then_b, bs::micro_batches<3>>>();
}
TEST_CASE("one rank: the same on the caller's thread") {
  check_everywhere<bs::plan<model_1, bs::one_f_one_b, bs::micro_batches<3>>>();
}

TEST_CASE("a missed deadline names the awaited message") {
  using plan = bs::plan<model_4, bs::one_f_one_b, bs::micro_batches<5>>;
  armed = {.stage = 1, .group = bs::op_group::forward, .micro_batch = 2, .sleep = 1500ms};
  bs::host::engine<plan> engine({.deadline = 300ms});
  try {
    engine.step();
    FAIL("no exception");
  } catch (const bs::deadline_exceeded& e) {
    CHECK(e.step == 0);
    REQUIRE_FALSE(e.awaited.empty());
    bool rank_2_waits_for_1 = false;
    for (const auto& w : e.awaited) {
      CHECK(w.rank != 1);  // it sleeps in an op
      rank_2_waits_for_1 |= w.rank == 2 && w.peer == 1 && w.micro_batch == 2 && !w.sending &&
                            w.variable.find("x<2>") != std::string_view::npos;
    }
    CHECK(rank_2_waits_for_1);
    CHECK(std::string_view(e.what()).find("rank 2 waits for") != std::string_view::npos);
  }
  CHECK_THROWS_AS(engine.step(), bs::engine_dead);
  armed = {};
}

TEST_CASE("one rank: a missed deadline is an op that took too long") {
  using plan = bs::plan<model_1, bs::one_f_one_b, bs::micro_batches<2>>;
  armed = {.stage = 0, .group = bs::op_group::forward, .micro_batch = 1, .sleep = 100ms};
  bs::host::engine<plan> engine({.deadline = 5ms});
  CHECK_THROWS_AS(engine.step(), bs::deadline_exceeded);
  CHECK_THROWS_AS(engine.step(), bs::engine_dead);
  armed = {};
}

TEST_CASE("after a failure steps() counts what every rank completed") {
  using plan = bs::plan<model_4, bs::one_f_one_b, bs::micro_batches<5>>;
  armed = {.stage = 2, .group = bs::op_group::optimize, .micro_batch = 4, .step = 50};
  bs::host::engine<plan> engine;
  CHECK_THROWS_AS(engine.run(1000), bs::op_failure);
  // The other ranks wait for rank 2, so none is a whole step behind it.
  CHECK(engine.steps() >= 49);
  CHECK(engine.steps() <= 50);
  armed = {};
}

TEST_CASE("a deadline that is none") {
  using plan = bs::plan<model_4, bs::one_f_one_b, bs::micro_batches<5>>;
  bs::host::engine<plan> endless({.deadline = std::chrono::nanoseconds::max()});
  endless.run(3);
  CHECK(endless.steps() == 3);
  for (const auto wrong : {0ns, -1ns, std::chrono::nanoseconds::min()}) {
    try {
      bs::host::engine<plan> engine({.deadline = wrong});
      FAIL_CHECK("accepted");
    } catch (const bs::engine_error& e) {
      CHECK(std::string_view(e.what()).find("deadline") != std::string_view::npos);
    }
  }
}

// -- Exceptions from outside the ops: an observer's hook, a value that cannot be reset

namespace {

struct throwing_observer : bs::host::no_observer {
  int rank = 0;
  explicit throwing_observer(int r) : rank(r) {}
  template <class Plan, int Rank, int Op>
  void after_op(std::size_t m) {
    if (Rank == rank && m == 1) throw custom("hook");
  }
};

struct moody {
  static inline std::atomic<bool> throws{false};
  int value = 0;
  moody() {
    if (throws) throw custom("no reset");
  }
  moody(const moody&) = default;
  moody& operator=(const moody&) = default;
  ~moody() {}  // not trivial, so it is reset after its last reader
};
struct mood : bs::activation<moody> {};
struct seen : bs::activation<int> {};
struct make_mood : bs::forward {
  void operator()(bs::micro_batch m, bs::out<mood> to) const { to->value = static_cast<int>(m); }
};
struct see : bs::forward {
  void operator()(bs::in<mood> from, bs::out<seen> to) const { *to = from->value; }
};
using moods_1 = bs::pipeline<bs::stage<make_mood, see>>;
using moods_2 = bs::pipeline<bs::stage<make_mood>, bs::stage<see>>;

template <class Engine>
void check_outside(Engine& engine) {
  try {
    engine.step();
    FAIL_CHECK("no exception");
  } catch (const bs::op_failure& e) {
    CHECK(std::string_view(e.what()).find("between ops") != std::string_view::npos);
    CHECK_THROWS_AS(std::rethrow_if_nested(e), custom);
  }
  CHECK_THROWS_AS(engine.step(), bs::engine_dead);
}

}  // namespace

TEST_CASE("an exception from an observer or a reset is a failure like any other") {
  for (int rank = 0; rank < 4; ++rank) {
    CAPTURE(rank);
    bs::host::engine<bs::plan<model_4, bs::f_then_b, bs::micro_batches<3>>, throwing_observer>
        engine({}, throwing_observer(rank));
    check_outside(engine);
  }
  bs::host::engine<bs::plan<moods_1, bs::f_then_b, bs::micro_batches<3>>> one;
  bs::host::engine<bs::plan<moods_2, bs::f_then_b, bs::micro_batches<3>>> two;
  moody::throws = true;
  check_outside(one);
  check_outside(two);
  moody::throws = false;
}

TEST_CASE("a deadline that is kept changes nothing") {
  using plan = bs::plan<model_4, bs::one_f_one_b, bs::micro_batches<5>>;
  bs::host::engine<plan> with({.deadline = 1h});
  bs::host::engine<plan> without;
  with.run(20);
  without.run(20);
  CHECK(with.steps() == 20);
  CHECK(with.get<w<0>>() == without.get<w<0>>());
  CHECK(with.get<w<3>>() == without.get<w<3>>());
}
