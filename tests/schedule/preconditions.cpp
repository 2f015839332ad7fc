// What sizes the policies take: exactly those of their definitions; and a refusal names a bound and
// the nearest size that is legal.
#include "backstitch/dynamic/schedule.hpp"
#include "backstitch/schedule/placement.hpp"

#include "support/closed_form_policies.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>

namespace bs = backstitch;

namespace {

using bs::size_rule;
constexpr int most_ranks = 8, most_micro_batches = 40;
// Beyond these nothing can be nearest.
constexpr int far_ranks = 2 * most_ranks, far_micro_batches = 2 * most_micro_batches;

template <class Policy>
bs::precondition verdict(int R, int M) {
  const auto shape = bs::dynamic_shape_for<Policy>(R, M);
  return bs::check_sizes<Policy>(shape.get());
}

// The nearest of 1 .. end to `from` that is legal; of two, the larger one. 0: none.
template <class Legal>
int nearest(int from, int end, Legal legal) {
  int best = 0;
  for (int n = 1; n <= end; ++n) {
    if (legal(n) && (best == 0 || std::abs(n - from) <= std::abs(best - from))) best = n;
  }
  return best;
}

// The definition's own rules.
struct definition {
  bool (*ranks)(int R);
  bool (*micro_batches)(int R, int M);
};

int least_of(int R, const definition& d) {
  int m = 1;
  while (!d.micro_batches(R, m)) ++m;
  return m;
}

template <class Policy>
void check_rules(const definition& d) {
  INFO(std::string(Policy::name));
  for (int R = 1; R <= most_ranks; ++R) {
    for (int M = 1; M <= most_micro_batches; ++M) {
      CAPTURE(R);
      CAPTURE(M);
      const bs::precondition p = verdict<Policy>(R, M);
      if (!d.ranks(R)) {
        CHECK(p.broken == size_rule::ranks_multiple_of);
        CHECK(p.got == R);
        CHECK(R % p.needed != 0);
        CHECK(p.nearest == nearest(R, far_ranks, d.ranks));
        continue;
      }
      if (d.micro_batches(R, M)) {
        CHECK(p.broken == size_rule::none);
        continue;
      }
      CHECK(p.got == M);
      CHECK(p.nearest ==
            nearest(M, far_micro_batches, [&](int m) { return d.micro_batches(R, m); }));
      const int least = least_of(R, d);
      if (M < least) {
        CHECK(p.broken == size_rule::micro_batches_at_least);
        CHECK(p.needed == least);
      } else {
        CHECK(p.broken == size_rule::micro_batches_multiple_of);
        CHECK(p.needed > 1);
        CHECK(M % p.needed != 0);
      }
    }
  }
}

bool any(int) { return true; }
bool any_micro_batches(int, int) { return true; }
// PyTorch: M falls into max(1, M div R) equal groups.
bool equal_groups(int R, int M) { return M % std::max(1, M / R) == 0; }

template <int... V>
void check_chunked(std::integer_sequence<int, V...>) {
  (check_rules<bs::interleaved<V>>({any, equal_groups}), ...);
  (check_rules<bs::interleaved_overlap<V>>({any, equal_groups}), ...);
  (check_rules<bs::looped_bfs<V>>({any, any_micro_batches}), ...);
  (check_rules<bs::zero_bubble_1p<V>>({any, V > 1 ? equal_groups : any_micro_batches}), ...);
  constexpr auto multiple = [](int R, int M) { return M % R == 0; };
  (check_rules<bs::vpp<V>>({any, multiple}), ...);
  (check_rules<bs::vpp_split_backward<V>>({any, multiple}), ...);
}

// Megatron-LM: R <= N <= M, and the last group is full or holds R or more.
bool full_groups(int R, int M, int N) { return R <= N && N <= M && (M % N == 0 || M % N >= R); }

template <class Policy>
void check_groups(int N) {
  for (int R = 1; R <= most_ranks; ++R) {
    for (int M = 1; M <= most_micro_batches; ++M) {
      CAPTURE(R);
      CAPTURE(M);
      CAPTURE(N);
      const bs::precondition p = verdict<Policy>(R, M);
      const int nearest_group =
          nearest(N, far_micro_batches, [&](int n) { return full_groups(R, M, n); });
      const int nearest_count =
          nearest(M, far_micro_batches, [&](int m) { return full_groups(R, m, N); });
      if (full_groups(R, M, N)) {
        CHECK(p.broken == size_rule::none);
      } else if (N < R) {
        CHECK(p.broken == size_rule::group_at_least);
        CHECK(p.needed == R);
        CHECK(p.got == N);
        // With M < R no group is legal.
        CHECK(p.nearest == (M < R ? R : nearest_group));
      } else if (M < R) {
        CHECK(p.broken == size_rule::micro_batches_at_least);
        CHECK(p.needed == N);
        CHECK(p.got == M);
        CHECK(p.nearest == nearest_count);
      } else if (N > M) {
        CHECK(p.broken == size_rule::group_at_most);
        CHECK(p.needed == M);
        CHECK(p.got == N);
        CHECK(p.nearest == nearest_group);
      } else {
        CHECK(p.broken == size_rule::last_group_at_least);
        CHECK(p.needed == R);
        CHECK(p.got == M % N);
        CHECK(p.nearest == nearest_count);
      }
    }
  }
}
template <int... N>
void check_all_groups(std::integer_sequence<int, N...>) {
  (check_groups<bs::interleaved<2, N + 1>>(N + 1), ...);
  (check_groups<bs::interleaved_overlap<3, N + 1>>(N + 1), ...);
}

// A model whose stages stand otherwise than the policy's order names them.
template <class Policy, class Placement>
void check_placement(int R, int stages, int M, int needed, int got) {
  INFO(std::string(Policy::name));
  const auto shape = bs::dynamic_shape::of<Placement>(R, stages, M, bs::detail::pipes_of<Policy>());
  const bs::precondition p = bs::check_sizes<Policy>(shape.get());
  CHECK(p.broken == size_rule::stages_per_rank);
  CHECK(p.needed == needed);
  CHECK(p.got == got);
  CHECK(p.nearest == needed);
}

}  // namespace

TEST_CASE("exactly_the_sizes_of_the_definition") {
  constexpr auto at_least_r = [](int R, int M) { return M >= R; };
  constexpr auto at_least_2r = [](int R, int M) { return M >= 2 * R; };
  constexpr auto is_even = [](int n) { return n % 2 == 0; };
  check_rules<bs::f_then_b>({any, any_micro_batches});
  check_rules<bs::one_f_one_b_clamped>({any, any_micro_batches});
  check_rules<bs::one_f_one_b>({any, at_least_r});
  check_rules<bs::eager_one_f_one_b>({any, [](int R, int M) { return M >= 2 * R - 1; }});
  check_rules<bs::zero_bubble_h1>({any, at_least_r});
  check_rules<bs::zero_bubble_2p>({any, any_micro_batches});
  check_rules<bs::group_interleaved<2, 1>>({any, any_micro_batches});
  check_rules<bs::group_interleaved<3, 5>>({any, any_micro_batches});
  check_rules<bs::v_min>({any, any_micro_batches});
  check_rules<bs::zbv>({any, any_micro_batches});
  check_rules<bs::dual_pipe_v>({any, at_least_2r});
  check_rules<bs::dual_pipe>({is_even, [](int R, int M) { return M >= 2 * R && M % 2 == 0; }});
  check_rules<bs::forward_only>({any, any_micro_batches});
  check_chunked(std::integer_sequence<int, 1, 2, 3, 4>{});
}

// An even number of copies, each of which has a stage per rank and an equal share of the work.
TEST_CASE("chimera_takes_multiples_of_its_copies") {
  const auto check = [](auto policy, bool (*multiple)(int)) {
    using P = decltype(policy);
    for (int R = 1; R <= most_ranks; ++R) {
      for (int M = 1; M <= most_micro_batches; ++M) {
        CAPTURE(R);
        CAPTURE(M);
        const bs::precondition p = verdict<P>(R, M);
        const size_rule broken = !multiple(R)   ? size_rule::ranks_multiple_of
                                 : !multiple(M) ? size_rule::micro_batches_multiple_of
                                                : size_rule::none;
        CHECK(p.broken == broken);
        if (broken == size_rule::none) continue;
        const int got = broken == size_rule::ranks_multiple_of ? R : M;
        CHECK(p.needed == P::pipes);
        CHECK(p.got == got);
        CHECK(p.nearest == nearest(got, far_micro_batches, multiple));
      }
    }
  };
  check(bs::chimera<2>{}, [](int n) { return n % 2 == 0; });
  check(bs::chimera<4>{}, [](int n) { return n % 4 == 0; });
  check(bs::chimera<6>{}, [](int n) { return n % 6 == 0; });
}

TEST_CASE("megatrons_groups_hold_r_or_more") {
  check_all_groups(std::make_integer_sequence<int, 12>{});
}

TEST_CASE("pieces_come_by_whole_micro_batches") {
  check_rules<bs::seq_one_f_one_b<1>>({any, any_micro_batches});
  // Sizes count micro-batches; the shape counts pieces.
  CHECK(verdict<bs::seq_one_f_one_b<3>>(4, 1).broken == size_rule::none);
  for (int pieces = 1; pieces <= most_micro_batches; ++pieces) {
    CAPTURE(pieces);
    const auto shape = bs::dynamic_shape::of<bs::placement::loop>(4, 4, pieces);
    const auto p = bs::check_sizes<bs::seq_one_f_one_b<3>>(shape.get());
    if (pieces % 3 == 0) {
      CHECK(p.broken == size_rule::none);
      continue;
    }
    CHECK(p.broken ==
          (pieces < 3 ? size_rule::micro_batches_at_least : size_rule::micro_batches_multiple_of));
    CHECK(p.needed == 3);
    CHECK(p.nearest == nearest(pieces, far_micro_batches, [](int n) { return n % 3 == 0; }));
  }
}

TEST_CASE("no_micro_batches_are_too_few_everywhere") {
  const auto check = [](auto policy, int R, int least) {
    using P = decltype(policy);
    INFO(std::string(P::name));
    const bs::precondition p = verdict<P>(R, 0);
    CHECK(p.got == 0);
    CHECK(p.nearest == least);
    CHECK(verdict<P>(R, least).broken == size_rule::none);
  };
  check(bs::f_then_b{}, 4, 1);
  check(bs::one_f_one_b{}, 4, 4);
  check(bs::eager_one_f_one_b{}, 4, 7);
  check(bs::interleaved<2>{}, 4, 1);
  check(bs::interleaved<2, 5>{}, 4, 5);
  check(bs::vpp<2>{}, 4, 4);
  check(bs::looped_bfs<2>{}, 4, 1);
  check(bs::zero_bubble_1p<>{}, 4, 1);
  check(bs::zero_bubble_1p<2>{}, 4, 1);
  check(bs::zero_bubble_h1{}, 4, 4);
  check(bs::zero_bubble_2p{}, 4, 1);
  check(bs::group_interleaved<2, 3>{}, 4, 1);
  check(bs::v_min{}, 4, 1);
  check(bs::zbv{}, 4, 1);
  check(bs::dual_pipe_v{}, 4, 8);
  check(bs::dual_pipe{}, 4, 8);
  check(bs::chimera<>{}, 4, 2);
  check(bs::forward_only{}, 4, 1);
  // This one says how many pieces.
  CHECK(verdict<bs::seq_one_f_one_b<2>>(4, 0).nearest == 2);
}

TEST_CASE("every_rank_holds_the_stages_that_the_order_names") {
  using bs::placement::loop;
  check_placement<bs::f_then_b, loop>(3, 6, 9, 1, 2);
  check_placement<bs::one_f_one_b, loop>(3, 2, 9, 1, 0);
  check_placement<bs::one_f_one_b_clamped, bs::placement::map<0, 1, 1>>(3, 3, 9, 1, 2);
  check_placement<bs::eager_one_f_one_b, loop>(3, 6, 9, 1, 2);
  check_placement<bs::interleaved<2>, loop>(3, 3, 9, 2, 1);
  check_placement<bs::interleaved<2, 3>, loop>(3, 9, 9, 2, 3);
  check_placement<bs::vpp<2>, loop>(3, 5, 9, 2, 1);
  check_placement<bs::looped_bfs<3>, loop>(3, 6, 9, 3, 2);
  check_placement<bs::zero_bubble_1p<>, loop>(3, 6, 9, 1, 2);
  check_placement<bs::zero_bubble_h1, loop>(3, 6, 9, 1, 2);
  check_placement<bs::zero_bubble_2p, loop>(3, 6, 9, 1, 2);
  check_placement<bs::group_interleaved<2, 2>, loop>(3, 3, 9, 2, 1);
  check_placement<bs::v_min, loop>(3, 3, 9, 2, 1);
  check_placement<bs::zbv, loop>(3, 3, 9, 2, 1);
  check_placement<bs::dual_pipe_v, bs::placement::v>(3, 5, 9, 2, 1);
  check_placement<bs::dual_pipe, bs::placement::bidirectional>(4, 16, 8, 2, 4);
  check_placement<bs::chimera<>, bs::placement::bidirectional>(4, 4, 8, 2, 1);
  check_placement<bs::forward_only, loop>(3, 6, 9, 1, 2);
  check_placement<bs::seq_one_f_one_b<3>, loop>(3, 6, 9, 1, 2);
}

// What a message may name instead must itself take whatever was too few.
TEST_CASE("the_policy_to_take_instead_takes_any_number") {
  const auto check = [](auto policy) {
    using instead = decltype(decltype(policy)::try_instead());
    for (int R = 1; R <= most_ranks; ++R) {
      for (int M = 1; M <= R; ++M) CHECK(verdict<instead>(R, M).broken == size_rule::none);
    }
    return std::is_same_v<instead, bs::one_f_one_b_clamped>;
  };
  CHECK(check(bs::one_f_one_b{}));
  CHECK(check(bs::eager_one_f_one_b{}));
  CHECK(check(bs::zero_bubble_h1{}));
}
