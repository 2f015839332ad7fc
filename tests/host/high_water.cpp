// An instrumented executor: every write and release of a value is recorded while the ranks run, and
// the most values of a variable that were alive at once is compared with the slots of the plan.
#include "backstitch/host/engine.hpp"

#include "support/chain_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace bs = chain::bs;
namespace d = backstitch::detail;

// What happened to the values of one use of a variable by a stage.
struct history {
  std::set<std::size_t> alive;  // micro-batches
  std::size_t high_water = 0;
  int faults = 0;  // read of a dead value, write over a live one, release of a dead one

  void write(std::size_t m) {
    faults += alive.insert(m).second ? 0 : 1;
    high_water = std::max(high_water, alive.size());
  }
  void read(std::size_t m) { faults += alive.count(m) == 1 ? 0 : 1; }
  void release(std::size_t m) { faults += alive.erase(m) == 1 ? 0 : 1; }
};

struct record {
  std::mutex mutex;
  std::map<int, history> use;
};

// The hooks are called in an order that the mailboxes guarantee: a value's write before its
// arrival, its release before the next write into the slot.
struct recorder : bs::host::no_observer {
  record* to;
  explicit recorder(record& r) : to(&r) {}

  template <class Plan>
  static constexpr const auto& model_of() {
    return d::model_v<typename Plan::pipeline_type>;
  }
  // The use whose slot an access touches: the writing stage's own where the value is lent.
  template <class Plan>
  static int slot_owner(int u) {
    const auto& slots = d::slots_v<Plan, true>;
    return slots.use[u].lent ? model_of<Plan>().producer(model_of<Plan>().use[u].variable) : u;
  }

  template <class Plan, int Rank, int Op>
  void before_op(std::size_t m) {
    const auto& model = model_of<Plan>();
    const std::lock_guard lock(to->mutex);
    for (int a = 0; a < model.accesses; ++a) {
      const auto& row = model.access[a];
      if (row.op != Op || !bs::is_per_micro_batch(model.variable[row.variable].kind)) continue;
      const int u = slot_owner<Plan>(model.find_use(row.variable, model.op[Op].stage));
      history& h = to->use[u];
      if (row.access == bs::access_kind::out) h.write(m);
      if (row.access == bs::access_kind::in || row.access == bs::access_kind::inout) h.read(m);
      // The first of the ops that accumulate writes.
      if (row.access == bs::access_kind::accumulate && h.alive.count(m) == 0) h.write(m);
    }
  }
  template <class Plan, int Rank, int Edge>
  void sent(std::size_t m) {
    const auto& model = model_of<Plan>();
    const auto& edge = d::edges_v<typename Plan::pipeline_type>.edge[Edge];
    const int receiver = model.find_use(edge.variable, edge.to);
    const std::lock_guard lock(to->mutex);
    to->use[model.find_use(edge.variable, edge.from)].read(m);
    if (!d::slots_v<Plan, true>.use[receiver].lent) to->use[receiver].write(m);
  }
  template <class Plan, int Rank, int Use>
  void released(std::size_t m) {
    const std::lock_guard lock(to->mutex);
    to->use[Use].release(m);
  }
};

// With early receives the sender may run ahead into slots that a fast receiver never needs at once,
// so received values are bounded; all others are met exactly.
template <class Plan>
void check_high_water() {
  using pipeline = typename Plan::pipeline_type;
  const auto& model = d::model_v<pipeline>;
  const auto& slots = d::slots_v<Plan, true>;
  constexpr bool late =
      d::receives_late_v<typename Plan::setup_type, d::links_of<pipeline>, bs::channel::rendezvous>;
  record seen;
  bs::host::engine<Plan, recorder> engine({}, recorder(seen));
  for (int step = 0; step < 3; ++step) {
    engine.step();
    for (auto& entry : seen.use) {
      const int u = entry.first;  // clang 14 captures no structured binding
      history& h = entry.second;
      CAPTURE(u);
      // Outputs stay until the next step writes them; everything else is gone.
      CHECK(h.alive.size() == (slots.use[u].kept ? std::size_t{Plan::micro_batches} : 0));
      h.alive.clear();
    }
  }
  int checked = 0;
  for (int u = 0; u < model.uses; ++u) {
    const auto& planned = slots.use[u];
    if (planned.how != d::holding::produced && planned.how != d::holding::received) continue;
    CAPTURE(u);
    CAPTURE(model.use[u].variable);
    CAPTURE(model.use[u].stage);
    const history& h = seen.use[u];
    CHECK(h.faults == 0);
    if (planned.how == d::holding::received && !late) {
      CHECK(h.high_water <= static_cast<std::size_t>(planned.count));
      CHECK(h.high_water >= 1);
    } else {
      CHECK(h.high_water == static_cast<std::size_t>(planned.count));
    }
    ++checked;
  }
  CHECK(checked > 0);
}

// A chain without the skip edge of chain::model: receives are late, every figure is exact. The
// activation is lent: the stage that writes it reads it again in its own backward.
struct load : bs::forward {
  void operator()(bs::micro_batch m, bs::out<chain::x<0>> to) const {
    for (std::size_t i = 0; i < chain::width; ++i) to[i] = static_cast<float>(m + i);
  }
};
template <int L>
struct relu_back : bs::backward {
  void operator()(bs::in<chain::dx<L + 1>> from, bs::in<chain::x<L + 1>> value,
                  bs::accumulate<chain::dh<L>> to) const {
    for (std::size_t i = 0; i < chain::width; ++i) to[i] += value[i] > 0 ? from[i] : 0;
  }
};
template <int L>
struct top : bs::forward, bs::loss {
  void operator()(bs::in<chain::x<L>> from, bs::out<chain::dx<L>> to,
                  bs::out<chain::loss_value> value) const {
    for (std::size_t i = 0; i < chain::width; ++i) to[i] = from[i];
    *value = from[0];
  }
};
template <int L>
using middle = bs::stage<chain::scale<L>, chain::shift<L>, relu_back<L>, chain::scale_back<L>,
                         chain::input_back<L>, chain::decay, chain::sgd<L>>;
using first = bs::stage<load, chain::scale<0>, chain::shift<0>, relu_back<0>, chain::scale_back<0>,
                        chain::decay, chain::sgd<0>>;
template <int L>
using last = bs::stage<chain::scale<L>, chain::shift<L>, top<L + 1>, relu_back<L>,
                       chain::scale_back<L>, chain::input_back<L>, chain::decay, chain::sgd<L>>;
using lending_2 = bs::pipeline<first, last<1>>;
using lending_4 = bs::pipeline<first, middle<1>, middle<2>, last<3>>;

template <class Model, class Policy, int M>
using plan_of = bs::plan<Model, Policy, bs::micro_batches<M>>;

// The activation between stages 0 and 1 is read in place: no slot on stage 1.
static_assert(plan_of<lending_4, bs::one_f_one_b, 8>::slot_count<chain::x<1>, 0>() == 4);
static_assert(plan_of<lending_4, bs::one_f_one_b, 8>::slot_count<chain::x<1>, 1>() == 0);
// An engine without shared memory receives it into slots of its own.
static_assert(plan_of<lending_4, bs::one_f_one_b, 8>::slot_count<chain::x<1>, 1, false>() == 3);

}  // namespace

TEST_CASE("chain with lent activations: observed equals planned") {
  check_high_water<plan_of<lending_2, bs::one_f_one_b, 2>>();
  check_high_water<plan_of<lending_4, bs::one_f_one_b, 4>>();
  check_high_water<plan_of<lending_4, bs::one_f_one_b, 8>>();
  check_high_water<plan_of<lending_4, bs::one_f_one_b_clamped, 2>>();
  check_high_water<plan_of<lending_4, bs::f_then_b, 5>>();
}

TEST_CASE("chain with copied activations and a skip edge") {
  check_high_water<plan_of<chain::model<1>, bs::one_f_one_b, 4>>();
  check_high_water<plan_of<chain::model<2>, bs::one_f_one_b, 6>>();
  check_high_water<plan_of<chain::model<2>, bs::f_then_b, 3>>();
  check_high_water<plan_of<chain::model<4>, bs::one_f_one_b, 8>>();
  check_high_water<plan_of<chain::model<4>, bs::f_then_b, 4>>();
  check_high_water<plan_of<chain::model<5>, bs::one_f_one_b_clamped, 3>>();
}
