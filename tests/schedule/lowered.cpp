// Every policy at many sizes: what both lowerings promise, and the contract over all its rules.
#include "backstitch/analysis/schedule.hpp"
#include "backstitch/dynamic/contract.hpp"
#include "backstitch/schedule/policies/fused.hpp"

#include "support/closed_form_policies.hpp"
#include "support/programs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace bs = backstitch;

namespace {

const bs::channel_model models[] = {bs::channel::rendezvous::model,
                                    bs::channel::capacity<1>::model,
                                    bs::channel::capacity<2>::model,
                                    bs::channel::tagged::model,
                                    bs::channel::fifo_per_rank_pair::model,
                                    bs::channel::fifo_per_directed_pair::model,
                                    bs::channel::fifo_per_direction_kind::model};

// Groups of messages of one list: how long the largest is.
int largest_group(const std::vector<bs::action>& list) {
  int most = 1, length = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool joins = i > 0 && list[i].group >= 0 && list[i].group == list[i - 1].group;
    length = joins ? length + 1 : 1;
    if (bs::is_message(list[i].kind)) most = std::max(most, length);
  }
  return most;
}

// The same work in the same order, groups of pairs aside.
void check_same_work(const programs::program& work, const programs::program& lowered) {
  const auto kept = programs::without(lowered.lists, programs::is_no_work);
  for (int r = 0; r < work.lists.ranks(); ++r) {
    CHECK(programs::text(kept.list(r), work.shape()) ==
          programs::text(work.lists.list(r), work.shape()));
  }
}

void check_sizes_of_lists(const programs::program& work, const programs::program& lowered) {
  const bs::shape s = work.shape();
  const bs::link_view links{static_cast<int>(work.links.size()), work.links.data()};
  for (int r = 0; r < s.ranks; ++r) {
    const int most = bs::lowered_capacity(s, links, r, static_cast<int>(work.lists.list(r).size()));
    CHECK(static_cast<int>(lowered.lists.list(r).size()) <= most);
  }
}

// Policies that send ahead of what their receiver asks for: with late receives and no buffer both
// ends would wait.
template <class Policy>
constexpr bool sends_ahead =
    std::is_same_v<Policy, bs::eager_one_f_one_b> || std::is_same_v<Policy, bs::zero_bubble_2p>;

int checked = 0;
int late_ones = 0;

template <class Policy>
void check_policy(int most_ranks = 5, int most_micro_batches = 9) {
  for (int R = 1; R <= most_ranks; ++R) {
    for (int M = 1; M <= most_micro_batches; ++M) {
      const auto placed = bs::dynamic_shape_for<Policy>(R, M);
      if (bs::check_sizes<Policy>(placed.get()).broken != bs::size_rule::none) continue;
      CAPTURE(R);
      CAPTURE(M);
      const auto work = programs::work<Policy>(R, M);
      const auto together = programs::together(work);
      check_same_work(work, together);
      check_sizes_of_lists(work, together);
      for (const bs::channel_model& model : models) {
        CHECK(together.check(model).broken == bs::rule::none);
      }
      const auto late = programs::late(work);
      check_same_work(work, late);
      check_sizes_of_lists(work, late);
      for (int r = 0; r < R; ++r) CHECK(largest_group(late.lists.list(r)) <= bs::largest_group);
      // Where a rank has one stage, late receives work without any buffer, and then with all.
      if (bs::stages_for<Policy>(R) == R && !sends_ahead<Policy>) {
        for (const bs::channel_model& model : models) {
          CHECK(late.check(model).broken == bs::rule::none);
        }
        ++late_ones;
      }
      ++checked;
    }
  }
}

// At compile time the same lists come out, slice by slice.
template <class Policy, int R, int M>
void check_constant() {
  using schedule = bs::schedule<Policy, bs::ranks<R>, bs::micro_batches<M>>;
  constexpr bool one_stage = schedule::stages == R && !sends_ahead<Policy>;
  const auto work = programs::work<Policy>(R, M);
  const auto lowered = one_stage ? programs::late(work) : programs::together(work);
  const auto view = schedule::lowered().view();
  REQUIRE(view.ranks == R);
  for (int r = 0; r < R; ++r) {
    CHECK(std::vector<bs::action>(view.list[r], view.list[r] + view.count[r]) ==
          lowered.lists.list(r));
  }
}

}  // namespace

TEST_CASE("every_policy_lowers_to_valid_programs_under_every_channel_model") {
  check_policy<bs::f_then_b>();
  check_policy<bs::one_f_one_b>();
  check_policy<bs::one_f_one_b_clamped>();
  check_policy<bs::eager_one_f_one_b>();
  check_policy<bs::interleaved<2>>();
  check_policy<bs::interleaved<3>>(4);
  check_policy<bs::interleaved<2, 3>>(3);
  check_policy<bs::interleaved_overlap<2>>(4);
  check_policy<bs::vpp<2>>();
  check_policy<bs::vpp_split_backward<2>>(4);
  check_policy<bs::looped_bfs<2>>();
  check_policy<bs::zero_bubble_1p<1>>();
  check_policy<bs::zero_bubble_1p<2>>(4);
  check_policy<bs::zero_bubble_h1>();
  check_policy<bs::zero_bubble_2p>();
  check_policy<bs::group_interleaved<2, 1>>();
  check_policy<bs::group_interleaved<3, 4>>(4);
  check_policy<bs::v_min>();
  check_policy<bs::zbv>();
  check_policy<bs::dual_pipe_v>(4, 10);
  check_policy<bs::dual_pipe>(6, 14);
  check_policy<bs::chimera<2>>(6, 12);
  check_policy<bs::chimera<4>>(8, 16);
  check_policy<bs::forward_only>();
  check_policy<bs::seq_one_f_one_b<2>>();
  check_policy<bs::fused<bs::zbv>>(4);
  check_policy<bs::fused<bs::zero_bubble_1p<2>>>(4);
  CHECK(checked > 600);
  CHECK(late_ones > 250);
}

TEST_CASE("constants_are_the_same_lists") {
  check_constant<bs::one_f_one_b, 4, 8>();
  check_constant<bs::f_then_b, 3, 5>();
  check_constant<bs::eager_one_f_one_b, 2, 4>();
  check_constant<bs::interleaved<2>, 4, 8>();
  check_constant<bs::zero_bubble_1p<1>, 4, 6>();
  check_constant<bs::zero_bubble_1p<2>, 3, 6>();
  check_constant<bs::zero_bubble_2p, 4, 9>();
  check_constant<bs::group_interleaved<2, 1>, 4, 5>();
  check_constant<bs::v_min, 4, 6>();
  check_constant<bs::zbv, 4, 9>();
  check_constant<bs::dual_pipe_v, 3, 7>();
  check_constant<bs::dual_pipe, 4, 8>();
  check_constant<bs::chimera<2>, 4, 8>();
  check_constant<bs::forward_only, 4, 5>();
  // More sweeps than one slice holds.
  check_constant<bs::interleaved<2>, 4, 600>();
}
