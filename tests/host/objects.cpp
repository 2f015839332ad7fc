// Values of any movable type: made once, reset per micro-batch, moved at their last use, destroyed.
#include "backstitch/backstitch.hpp"
#include "backstitch/host/engine.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace bs = backstitch;

// Counts objects and the ones that hold something.
struct tracked {
  static inline std::atomic<int> objects{0};
  static inline std::atomic<int> holding{0};
  std::unique_ptr<int> value;

  tracked() { ++objects; }
  explicit tracked(int v) : value(std::make_unique<int>(v)) {
    ++objects;
    ++holding;
  }
  tracked(tracked&& other) noexcept : value(std::move(other.value)) { ++objects; }
  tracked& operator=(tracked&& other) noexcept {
    if (this != &other) {
      holding -= value ? 1 : 0;
      value = std::move(other.value);
    }
    return *this;
  }
  ~tracked() {
    --objects;
    holding -= value ? 1 : 0;
  }
};

struct token : bs::activation<tracked> {};                   // move-only, crosses at its last use
struct text : bs::activation<std::string> {};                // copied: its stage reads it again
struct many : bs::activation<std::vector<int>[2]> {};        // an array of objects
struct sizes : bs::activation<std::vector<std::size_t>> {};  // an output, kept
struct dtext : bs::activation_gradient<text> {};
struct total : bs::step_value<std::string> {};

struct make : bs::forward {
  int dirty = 0;  // values that were not fresh
  void operator()(bs::micro_batch m, bs::out<token, tracked> t, bs::out<text> s,
                  bs::out<many, std::vector<int>[2]> v) {
    dirty += t->value ? 1 : 0;
    dirty += s->empty() ? 0 : 1;
    dirty += v[0].empty() && v[1].empty() ? 0 : 1;
    *t = tracked(static_cast<int>(m));
    *s = std::string(m + 20, 'x');  // longer than a short string holds in place
    v[0].push_back(static_cast<int>(m));
    v[1].assign(m, 7);
  }
};
struct use : bs::forward, bs::loss {
  int wrong = 0;
  void operator()(bs::micro_batch m, bs::in<token> t, bs::in<text> s, bs::in<many> v,
                  bs::out<sizes> out) {
    wrong += t->value && *t->value == static_cast<int>(m) ? 0 : 1;
    wrong += *s == std::string(m + 20, 'x') ? 0 : 1;
    wrong += out->empty() ? 0 : 1;  // fresh, although the last step's value was kept
    out->push_back(v[0].size());
    out->push_back(v[1].size());
  }
};
struct answer : bs::backward, bs::loss {
  void operator()(bs::in<text> s, bs::out<dtext> d) const { *d = *s + "!"; }
};
struct check : bs::backward {
  int wrong = 0;
  void operator()(bs::micro_batch m, bs::in<text> s, bs::in<dtext> d, bs::accumulate<total> sum) {
    wrong += *s + "!" == *d && s->size() == m + 20 ? 0 : 1;
    *sum += std::to_string(m);
  }
};

using model = bs::pipeline<bs::stage<make, check>, bs::stage<use, answer>>;

template <class Policy>
void check_objects() {
  {
    bs::host::engine<bs::plan<model, Policy, bs::micro_batches<5>>> engine;
    const int made = tracked::objects;
    CHECK(made > 0);
    for (int step = 0; step < 3; ++step) {
      engine.step();
      CHECK(tracked::objects == made);  // no object comes or goes while running
      CHECK(tracked::holding == 0);     // nothing outlives its micro-batch
      CHECK(engine.template get<total>() == "01234");
      for (std::size_t m = 0; m < 5; ++m) {
        CHECK(engine.template get<sizes>(m) == std::vector<std::size_t>{1, m});
      }
    }
    CHECK(engine.template op<make>().dirty == 0);
    CHECK(engine.template op<use>().wrong == 0);
    CHECK(engine.template op<check>().wrong == 0);
  }
  CHECK(tracked::objects == 0);
}

}  // namespace

TEST_CASE("1F1B") { check_objects<bs::one_f_one_b>(); }
TEST_CASE("F-then-B") { check_objects<bs::f_then_b>(); }

// -- A copy that throws between two stages -------------------------------------------------------

namespace {

struct fragile {
  int value = 0;
  fragile() = default;
  fragile(const fragile&) = default;
  fragile& operator=(const fragile& other) {
    if (other.value == 2) throw std::string("will not be copied");
    value = other.value;
    return *this;
  }
  fragile& operator=(fragile&& other) noexcept {
    value = other.value;
    return *this;
  }
};
struct thing : bs::activation<fragile> {};
struct dthing : bs::activation_gradient<thing> {};
struct seen : bs::activation<int> {};

struct make_thing : bs::forward {
  void operator()(bs::micro_batch m, bs::out<thing> t) const { t->value = static_cast<int>(m); }
};
struct use_thing : bs::forward {
  void operator()(bs::in<thing> t, bs::out<seen> to) const { *to = t->value; }
};
struct other_use : bs::forward {
  void operator()(bs::in<thing> t, bs::out<dthing> d) const { d->value = -t->value; }
};
// Two receivers: the first gets a copy.
using fan_out = bs::pipeline<bs::stage<make_thing>, bs::stage<use_thing>, bs::stage<other_use>>;

}  // namespace

TEST_CASE("a copy that throws is a failure of the op that made the value") {
  bs::host::engine<bs::plan<fan_out, bs::f_then_b, bs::micro_batches<4>>> engine;
  try {
    engine.step();
    FAIL("no exception");
  } catch (const bs::op_failure& e) {
    CHECK(e.position.rank == 0);
    CHECK(e.position.micro_batch == 2);
    CHECK(e.position.op.find("make_thing") != std::string_view::npos);
  }
}

// -- A large object is reset in place: a rank's stack has no room for it

namespace {

struct heavy {
  float a[3000000] = {};
  std::vector<int> log;
};
struct heavy_weight : bs::parameter<heavy> {};
struct heavy_gradient : bs::gradient<heavy_weight> {};
struct add : bs::backward {
  void operator()(bs::micro_batch m, bs::accumulate<heavy_gradient> to) const {
    to->a[2999999] += 1;
    to->log.push_back(static_cast<int>(m));
  }
};
struct take : bs::optimize {
  int wrong = 0;
  void operator()(bs::in<heavy_gradient> g) {
    wrong += g->a[2999999] == 3 && g->log == std::vector<int>{0, 1, 2} ? 0 : 1;
  }
};
struct nothing : bs::forward {
  void operator()() const {}
};
using heavy_model = bs::pipeline<bs::stage<add, take>, bs::stage<nothing>>;

}  // namespace

TEST_CASE("a large object is reset in place") {
  bs::host::engine<bs::plan<heavy_model, bs::f_then_b, bs::micro_batches<3>>> engine;
  engine.run(2);
  CHECK(engine.op<take>().wrong == 0);
}
