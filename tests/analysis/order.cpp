// Every rule of a compute order, broken by hand, and where the proof says that it is broken.
#include "backstitch/analysis/order.hpp"

#include "backstitch/schedule/policies/one_f_one_b.hpp"
#include "backstitch/schedule/timetable.hpp"

#include "support/tables.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace bs = backstitch;

namespace {

using bs::order_rule;
using tables::list;

bs::action f(int stage, int micro_batch) { return tables::forward(stage, micro_batch); }
bs::action b(int stage, int micro_batch) { return tables::backward(stage, micro_batch); }

template <int R, int M>
auto prove(const std::vector<list>& lists) {
  return bs::prove_order<R, M>(tables::table_of<R, 2 * M + 1>(lists));
}

template <class Figures>
void check_fault(const Figures& got, bs::order_fault wanted) {
  CHECK_FALSE(got.ok());
  CHECK(got.fault.rule == wanted.rule);
  CHECK(got.fault.rank == wanted.rank);
  CHECK(got.fault.slot == wanted.slot);
  CHECK(got.fault.stage == wanted.stage);
  CHECK(got.fault.micro_batch == wanted.micro_batch);
}

// A valid order for two ranks and two micro-batches, to be broken.
const list rank_0{f(0, 0), f(0, 1), b(0, 0), b(0, 1)};
const list rank_1{f(1, 0), b(1, 0), f(1, 1), b(1, 1)};

}  // namespace

TEST_CASE("a_valid_order_has_no_fault") {
  const auto figures = prove<2, 2>({rank_0, rank_1});
  CHECK(figures.ok());
  CHECK(figures.makespan == 9);
  CHECK(figures.peak_in_flight[0] == 2);
  CHECK(figures.peak_in_flight[1] == 1);
}

TEST_CASE("a_stage_that_does_not_exist_is_foreign") {
  for (const int stage : {-1, 2, 4}) {
    check_fault(prove<2, 2>({rank_0, {f(1, 0), b(1, 0), f(stage, 1), b(1, 1)}}),
                {order_rule::foreign_action, 1, 2, stage, 1});
  }
}

TEST_CASE("a_stage_of_another_rank_is_foreign") {
  check_fault(prove<2, 2>({{f(0, 0), f(1, 1), b(0, 0), b(0, 1)}, rank_1}),
              {order_rule::foreign_action, 0, 1, 1, 1});
}

TEST_CASE("a_micro_batch_out_of_range_is_foreign") {
  for (const int m : {-1, 2}) {
    check_fault(prove<2, 2>({rank_0, {f(1, 0), b(1, 0), f(1, 1), b(1, m)}}),
                {order_rule::foreign_action, 1, 3, 1, m});
  }
}

TEST_CASE("an_action_that_is_no_work_is_foreign") {
  const bs::action update{bs::action_kind::update, 0, 1, -1, -1};
  check_fault(prove<2, 2>({{f(0, 0), f(0, 1), b(0, 0), b(0, 1), update}, rank_1}),
              {order_rule::foreign_action, 0, 4, 0, 1});
  const bs::action send{bs::action_kind::send_forward, 0, 0, 0, 0};
  check_fault(prove<2, 2>({{f(0, 0), send, f(0, 1), b(0, 0), b(0, 1)}, rank_1}),
              {order_rule::foreign_action, 0, 1, 0, 0});
}

TEST_CASE("work_done_twice") {
  check_fault(prove<2, 2>({{f(0, 0), f(0, 1), f(0, 0), b(0, 0), b(0, 1)}, rank_1}),
              {order_rule::work_done_twice, 0, 2, 0, 0});
  check_fault(prove<2, 2>({rank_0, {f(1, 0), b(1, 0), f(1, 1), b(1, 1), b(1, 0)}}),
              {order_rule::work_done_twice, 1, 4, 1, 0});
}

// Nothing stands where the work is missing, so the slot is 0.
TEST_CASE("work_missing") {
  check_fault(prove<2, 2>({rank_0, {f(1, 0), b(1, 0), f(1, 1)}}),
              {order_rule::work_missing, 1, 0, 1, 1});
  check_fault(prove<2, 2>({{f(0, 0), b(0, 0)}, rank_1}), {order_rule::work_missing, 0, 0, 0, 1});
  check_fault(prove<2, 2>({rank_0, {}}), {order_rule::work_missing, 1, 0, 1, 0});
}

TEST_CASE("backward_before_forward") {
  check_fault(prove<2, 2>({{f(0, 0), b(0, 1), f(0, 1), b(0, 0)}, rank_1}),
              {order_rule::backward_before_forward, 0, 1, 0, 1});
  // A forward that never comes is the same fault, seen at its backward.
  check_fault(prove<2, 2>({rank_0, {b(1, 0), f(1, 1), b(1, 1)}}),
              {order_rule::backward_before_forward, 1, 0, 1, 0});
}

// Each rank's list is in order by itself; together they wait in a circle. Rank 0 wants B0 before it
// runs F1, rank 1 wants F1 before it runs B0.
TEST_CASE("ranks_that_wait_for_each_other_deadlock") {
  check_fault(
      prove<2, 2>({{f(0, 0), b(0, 0), f(0, 1), b(0, 1)}, {f(1, 0), f(1, 1), b(1, 0), b(1, 1)}}),
      {order_rule::deadlock, 0, 1, 0, 0});
  // The first rank that waits is named, though here it only waits for the circle of the others.
  check_fault(prove<3, 2>({{f(0, 0), f(0, 1), b(0, 0), b(0, 1)},
                           {f(1, 0), b(1, 0), f(1, 1), b(1, 1)},
                           {f(2, 0), f(2, 1), b(2, 0), b(2, 1)}}),
              {order_rule::deadlock, 0, 2, 0, 0});
}

TEST_CASE("one_rank_alone") {
  CHECK(prove<1, 1>({{f(0, 0), b(0, 0)}}).ok());
  const auto figures = prove<1, 2>({{f(0, 1), f(0, 0), b(0, 0), b(0, 1)}});  // any order will do
  CHECK(figures.ok());
  CHECK(figures.makespan == 6);
  CHECK(figures.peak_in_flight[0] == 2);
  check_fault(prove<1, 1>({{b(0, 0), f(0, 0)}}), {order_rule::backward_before_forward, 0, 0, 0, 0});
  check_fault(prove<1, 1>({{}}), {order_rule::work_missing, 0, 0, 0, 0});
}

// The first fault in rank order, then in list order; missing work only if all that is there fits.
TEST_CASE("the_first_fault_is_reported") {
  check_fault(prove<2, 2>({{f(0, 0), f(0, 0)}, {f(1, 7)}}),
              {order_rule::work_done_twice, 0, 1, 0, 0});
  check_fault(prove<2, 2>({{f(0, 0)}, {f(1, 0), f(1, 7)}}),
              {order_rule::foreign_action, 1, 1, 1, 7});
}

namespace {

struct emits_for_ever {
  static constexpr int min_micro_batches(int) { return 1; }
  template <class Sink>
  static constexpr void generate(bs::shape s, int rank, Sink& sink) {
    bs::one_f_one_b_clamped::generate(s, rank, sink);
    for (int i = 0; i < 100; ++i) sink.backward(rank, 0);
  }
};

}  // namespace

// What a policy emits beyond the table is cut off, and what is left shows it.
TEST_CASE("a_policy_that_emits_too_much_is_refused") {
  constexpr auto t = bs::make_timetable<emits_for_ever, 2, 3>();
  CHECK(t.count[0] == 7);
  CHECK(t.count[1] == 7);
  check_fault(bs::prove_order<2, 3>(t), {order_rule::work_done_twice, 0, 6, 0, 0});
}

// An end time for every F and B, in dependency order, with costs of the caller's choice.
TEST_CASE("times_follow_the_dependencies") {
  bs::order_times<2, 2> times;
  const auto figures =
      bs::prove_order(tables::table_of<2, 4>({rank_0, rank_1}), bs::costs{3, 5}, times);
  REQUIRE(figures.ok());
  CHECK(times.forward_end[0][0] == 3);
  CHECK(times.forward_end[0][1] == 6);
  CHECK(times.forward_end[1][0] == 6);
  CHECK(times.backward_end[1][0] == 11);
  CHECK(times.forward_end[1][1] == 14);
  CHECK(times.backward_end[0][0] == 16);
  CHECK(times.backward_end[1][1] == 19);
  CHECK(times.backward_end[0][1] == 24);
  CHECK(figures.makespan == 24);
  CHECK(figures.busy[0] == 16);
  CHECK(figures.busy[1] == 16);
}
