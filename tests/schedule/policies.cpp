// The policies at every small size: one order at compile time and at run time, and the textbook's
// closed forms.
#include "backstitch/analysis/order.hpp"
#include "backstitch/analysis/schedule.hpp"
#include "backstitch/schedule/policies/f_then_b.hpp"
#include "backstitch/schedule/policies/one_f_one_b.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/timetable.hpp"

#include "support/tables.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <type_traits>

namespace bs = backstitch;

namespace {

constexpr int max_ranks = 6;
constexpr int max_micro_batches = 8;

// Calls f.template operator()<R, M>() for every size that the policy takes.
template <class Policy, class F>
constexpr void at_legal_sizes(F f) {
  tables::for_sizes<1, max_ranks>([&]<int R>() {
    tables::for_sizes<1, max_micro_batches>([&]<int M>() {
      if constexpr (M >= Policy::min_micro_batches(R)) f.template operator()<R, M>();
    });
  });
}

template <class Policy>
constexpr int peak(int ranks, int micro_batches, int rank) {
  return std::is_same_v<Policy, bs::f_then_b> ? micro_batches
                                              : std::min(micro_batches, ranks - rank);
}

// -- at compile time ------------------------------------------------------------------------------

static_assert(bs::schedule_policy<bs::f_then_b>);
static_assert(bs::schedule_policy<bs::one_f_one_b>);
static_assert(bs::schedule_policy<bs::one_f_one_b_clamped>);

// The smallest M that the reference worker takes, over all ranks: M > R-1-r on rank 0.
static_assert(bs::one_f_one_b::min_micro_batches(1) == 1);
static_assert(bs::one_f_one_b::min_micro_batches(4) == 4);
static_assert(bs::one_f_one_b_clamped::min_micro_batches(4) == 1);
static_assert(bs::f_then_b::min_micro_batches(4) == 1);
static_assert(std::is_same_v<decltype(bs::one_f_one_b::try_instead()), bs::one_f_one_b_clamped>);

struct not_a_policy {
  static constexpr int min_micro_batches(int) { return 1; }
};
static_assert(!bs::schedule_policy<not_a_policy>);

template <class Policy, int R, int M>
constexpr bool has_closed_forms() {
  constexpr auto figures = bs::prove_order<R, M>(bs::make_timetable<Policy, R, M>());
  if (!figures.ok() || figures.makespan != 3 * (M + R - 1)) return false;
  for (int r = 0; r < R; ++r) {
    if (figures.busy[r] != 3 * M) return false;
    if (figures.peak_in_flight[r] != peak<Policy>(R, M, r)) return false;
  }
  return true;
}
template <class Policy>
constexpr bool has_closed_forms_everywhere() {
  bool all = true;
  at_legal_sizes<Policy>([&]<int R, int M>() { all = all && has_closed_forms<Policy, R, M>(); });
  return all;
}
static_assert(has_closed_forms_everywhere<bs::f_then_b>());
static_assert(has_closed_forms_everywhere<bs::one_f_one_b>());
static_assert(has_closed_forms_everywhere<bs::one_f_one_b_clamped>());

// The public face of the same numbers.
using textbook = bs::schedule<bs::one_f_one_b, bs::ranks<4>, bs::micro_batches<8>>;
static_assert(textbook::ranks == 4 && textbook::micro_batches == 8);
static_assert(textbook::peak_in_flight(0) == 4 && textbook::peak_in_flight(3) == 1);
static_assert(textbook::figures().makespan == 33);
static_assert(textbook::figures({10, 21}).makespan == 31 * 11);
static_assert(bs::schedule<bs::f_then_b, bs::ranks<4>, bs::micro_batches<8>>::peak_in_flight(3) ==
              8);
static_assert(
    bs::schedule<bs::one_f_one_b_clamped, bs::ranks<4>, bs::micro_batches<2>>::peak_in_flight(0) ==
    2);

TEST_CASE("a_rank_that_does_not_exist_is_named") {
  using four = bs::schedule<bs::one_f_one_b, bs::ranks<4>, bs::micro_batches<8>>;
  CHECK(four::peak_in_flight(3) == 1);
  CHECK_THROWS_WITH_AS(four::peak_in_flight(4),
                       "backstitch: rank 4 does not exist; the last one is 3", bs::no_such_rank);
  CHECK_THROWS_WITH_AS(four::peak_in_flight(-2147483647 - 1),
                       "backstitch: rank -2147483648 does not exist; the last one is 3",
                       bs::no_such_rank);
}

}  // namespace

// -- at run time ----------------------------------------------------------------------------------

TEST_CASE_TEMPLATE("the_compile_time_table_is_the_run_time_list", Policy, bs::f_then_b,
                   bs::one_f_one_b, bs::one_f_one_b_clamped) {
  at_legal_sizes<Policy>([]<int R, int M>() {
    CAPTURE(R);
    CAPTURE(M);
    constexpr auto t = bs::make_timetable<Policy, R, M>();
    for (int r = 0; r < R; ++r) {
      CHECK(tables::text(tables::list_of(t, r)) == tables::text(tables::generate<Policy>(R, M, r)));
    }
  });
}

// The forwards before the first backward are the warm-up and the first one of the steady phase.
TEST_CASE("one_f_one_b_warms_up_with_one_forward_per_later_rank") {
  for (int R = 1; R <= max_ranks; ++R) {
    for (int M = 1; M <= max_micro_batches; ++M) {
      for (int r = 0; r < R; ++r) {
        CAPTURE(R);
        CAPTURE(M);
        CAPTURE(r);
        const auto order = tables::generate<bs::one_f_one_b_clamped>(R, M, r);
        const auto first_backward = std::find_if(order.begin(), order.end(), [](const auto& a) {
          return a.kind == bs::action_kind::backward;
        });
        const int warm_up = std::min(M, R - 1 - r);
        CHECK(first_backward - order.begin() == std::min(M, warm_up + 1));
        // From there on F and B take turns until no forward is left.
        int in_turn = 0;
        for (auto a = first_backward; a != order.end(); ++a, ++in_turn) {
          const bool forward_is_due = in_turn % 2 == 1 && in_turn < 2 * (M - warm_up) - 1;
          CHECK((a->kind == bs::action_kind::forward) == forward_is_due);
        }
      }
    }
  }
}

// Where both may run, they are one order.
TEST_CASE("clamping_changes_nothing_where_the_strict_rule_holds") {
  for (int R = 1; R <= max_ranks; ++R) {
    for (int M = R; M <= max_micro_batches; ++M) {
      for (int r = 0; r < R; ++r) {
        CHECK(tables::generate<bs::one_f_one_b>(R, M, r) ==
              tables::generate<bs::one_f_one_b_clamped>(R, M, r));
      }
    }
  }
}

TEST_CASE("bubble_is_the_share_that_ranks_idle") {
  const auto figures = textbook::figures();
  CHECK(figures.bubble() == doctest::Approx(3.0 / 11.0));  // (R-1) / (M+R-1)
  CHECK(bs::schedule<bs::f_then_b, bs::ranks<1>, bs::micro_batches<3>>::figures().bubble() ==
        doctest::Approx(0.0));
}
