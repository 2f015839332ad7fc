// Every kind of cross-stage edge carries the value of its own micro-batch.
#include "backstitch/backstitch.hpp"
#include "backstitch/host/engine.hpp"

#include <doctest/doctest.h>

#include <cstddef>

namespace {

namespace bs = backstitch;

struct early : bs::activation<long[3]> {};  // stage 0 forward -> forward, backward and update of 2
struct aside : bs::activation<long> {};     // stage 0 forward -> backward of 1 only
struct late : bs::activation<long> {};      // stage 2 forward -> backward of 0
struct middle : bs::activation<long> {};    // stage 1 forward -> forward of 2
struct grad : bs::activation_gradient<middle> {};      // stage 2 backward -> backward of 1
struct far_grad : bs::activation_gradient<middle> {};  // stage 2 backward -> backward of 0
struct weight : bs::parameter<long> {};
struct sum_0 : bs::step_value<long> {};
struct sum_1 : bs::step_value<long> {};

long code(std::size_t step, std::size_t m) { return static_cast<long>(step * 1000 + m); }

struct source : bs::forward {
  void operator()(bs::step_index s, bs::micro_batch m, bs::out<early> e, bs::out<aside> a) const {
    for (std::size_t i = 0; i < 3; ++i) e[i] = code(s, m) + static_cast<long>(i);
    *a = code(s, m) * 2;
  }
};
struct sink : bs::backward {
  int wrong = 0;
  void operator()(bs::step_index s, bs::micro_batch m, bs::in<late> l, bs::in<far_grad> g,
                  bs::accumulate<sum_0> sum) {
    wrong += *l == code(s, m) * 5 ? 0 : 1;
    wrong += *g == code(s, m) * 7 ? 0 : 1;
    ++*sum;
  }
};
struct between : bs::forward {
  void operator()(bs::step_index s, bs::micro_batch m, bs::out<middle> to) const {
    *to = code(s, m) * 3;
  }
};
struct between_back : bs::backward {
  int wrong = 0;
  void operator()(bs::step_index s, bs::micro_batch m, bs::in<aside> a, bs::in<grad> g,
                  bs::accumulate<sum_1> sum) {
    wrong += *a == code(s, m) * 2 ? 0 : 1;
    wrong += *g == code(s, m) * 6 ? 0 : 1;
    ++*sum;
  }
};
struct end : bs::forward, bs::loss {
  int wrong = 0;
  void operator()(bs::step_index s, bs::micro_batch m, bs::in<middle> v, bs::in<early> e,
                  bs::out<late> to) {
    wrong += *v == code(s, m) * 3 && e[2] == code(s, m) + 2 ? 0 : 1;
    *to = code(s, m) * 5;
  }
};
struct end_back : bs::backward, bs::loss {
  int wrong = 0;
  void operator()(bs::step_index s, bs::micro_batch m, bs::in<early> e, bs::out<grad> g,
                  bs::out<far_grad> f) {
    wrong += e[0] == code(s, m) ? 0 : 1;
    *g = code(s, m) * 6;
    *f = code(s, m) * 7;
  }
};
// Reads a received activation in the scope of micro-batch M-1.
struct update : bs::optimize {
  int wrong = 0;
  void operator()(bs::step_index s, bs::micro_batch m, bs::in<early> e, bs::inout<weight> w) {
    wrong += e[1] == code(s, m) + 1 ? 0 : 1;
    ++*w;
  }
};

using model = bs::pipeline<bs::stage<source, sink>, bs::stage<between, between_back>,
                           bs::stage<end, end_back, update>>;

template <class Policy, int M, class Memory>
void check_edges() {
  CAPTURE(M);
  bs::host::engine<bs::plan<model, Policy, bs::micro_batches<M>, Memory>> engine;
  for (int step = 0; step < 3; ++step) {
    engine.step();
    CHECK(engine.template get<sum_0>() == M);
    CHECK(engine.template get<sum_1>() == M);
  }
  engine.run(4);
  CHECK(engine.template get<weight>() == 7);
  CHECK(engine.template op<sink>().wrong == 0);
  CHECK(engine.template op<between_back>().wrong == 0);
  CHECK(engine.template op<end>().wrong == 0);
  CHECK(engine.template op<end_back>().wrong == 0);
  CHECK(engine.template op<update>().wrong == 0);
}

template <class Memory>
void check_all() {
  check_edges<bs::f_then_b, 1, Memory>();
  check_edges<bs::f_then_b, 4, Memory>();
  check_edges<bs::one_f_one_b, 3, Memory>();
  check_edges<bs::one_f_one_b, 7, Memory>();
  check_edges<bs::one_f_one_b_clamped, 2, Memory>();
}

}  // namespace

TEST_CASE("slots reused") { check_all<bs::memory::reuse>(); }
TEST_CASE("slots kept") { check_all<bs::memory::keep>(); }
