// The policies as constants, within every compiler's default limits: the same lists as at run time,
// and the same peaks.
#include "backstitch/dynamic/schedule.hpp"
#include "backstitch/schedule/timetable.hpp"

#include "support/closed_form_policies.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace bs = backstitch;

namespace {

template <class Policy, int R, int M>
using setup = bs::detail::setup<Policy, R, bs::stages_for<Policy>(R),
                                M * bs::detail::sequence_splits_of<Policy>(),
                                typename decltype(bs::detail::placement_of<Policy>())::type>;

// Most micro-batches of a stage between F and B or W, counted along a list.
constexpr int peak(const bs::action* list, int count, bool only_forward) {
  int live = 0, most = 0;
  for (int i = 0; i < count; ++i) {
    if (list[i].kind == bs::action_kind::forward) ++live;
    if (live > most) most = live;
    const bool last = list[i].kind == bs::action_kind::backward ||
                      list[i].kind == bs::action_kind::backward_weight;
    if (last || only_forward) --live;
  }
  return most;
}
constexpr int count_of(const bs::action* list, int count, bs::action_kind k) {
  int n = 0;
  for (int i = 0; i < count; ++i) n += list[i].kind == k ? 1 : 0;
  return n;
}

// Legal, every stage's work is there once as far as counting sees, and the peak is the closed form.
template <class Policy, int R, int M>
constexpr bool holds() {
  using at = setup<Policy, R, M>;
  if (bs::check_sizes<Policy>(at::sizes).broken != bs::size_rule::none) return false;
  constexpr auto& work = bs::detail::work_v<at>;
  for (int r = 0; r < R; ++r) {
    const auto counted = [&](bs::action_kind k) {
      return count_of(work.list[r], work.count[r], k);
    };
    const int wanted = at::placed.count[r] * (at::micro_batches / at::pipes);
    const int whole = counted(bs::action_kind::backward);
    const int input = counted(bs::action_kind::backward_input);
    const bool forward_only = bs::detail::is_forward_only<Policy>();
    if (counted(bs::action_kind::forward) != wanted) return false;
    if (whole + input != (forward_only ? 0 : wanted)) return false;
    if (counted(bs::action_kind::backward_weight) != input) return false;
    if (input > 0 && !bs::detail::splits_backward<Policy>()) return false;
    if (work.count[r] != wanted + whole + 2 * input) return false;
    if (peak(work.list[r], work.count[r], forward_only) != Policy::max_in_flight(at::sizes, r)) {
      return false;
    }
  }
  return true;
}

static_assert(holds<bs::f_then_b, 1, 1>() && holds<bs::f_then_b, 4, 8>());
static_assert(holds<bs::one_f_one_b, 1, 1>() && holds<bs::one_f_one_b, 4, 8>());
static_assert(holds<bs::one_f_one_b_clamped, 8, 3>() && holds<bs::one_f_one_b_clamped, 4, 8>());
static_assert(holds<bs::eager_one_f_one_b, 1, 1>() && holds<bs::eager_one_f_one_b, 4, 7>());
static_assert(holds<bs::interleaved<1>, 1, 1>() && holds<bs::interleaved<3>, 4, 8>());
static_assert(holds<bs::interleaved<2, 5>, 4, 9>() && holds<bs::interleaved<2, 4>, 4, 12>());
static_assert(holds<bs::interleaved_overlap<2>, 4, 3>());
static_assert(holds<bs::interleaved_overlap<3, 4>, 4, 8>());
static_assert(holds<bs::vpp<1>, 1, 1>() && holds<bs::vpp<2>, 4, 4>() && holds<bs::vpp<3>, 4, 8>());
static_assert(holds<bs::vpp_split_backward<2>, 4, 4>());
static_assert(holds<bs::vpp_split_backward<2>, 4, 8>());
static_assert(holds<bs::looped_bfs<1>, 1, 1>() && holds<bs::looped_bfs<3>, 4, 5>());
static_assert(holds<bs::zero_bubble_1p<>, 1, 1>() && holds<bs::zero_bubble_1p<>, 4, 9>());
static_assert(holds<bs::zero_bubble_1p<2>, 4, 8>() && holds<bs::zero_bubble_1p<3>, 4, 2>());
static_assert(holds<bs::zero_bubble_2p, 1, 1>() && holds<bs::zero_bubble_2p, 4, 9>());
static_assert(holds<bs::group_interleaved<2, 3>, 1, 1>());
static_assert(holds<bs::group_interleaved<2, 1>, 4, 9>());
static_assert(holds<bs::v_min, 1, 1>() && holds<bs::v_min, 4, 8>() && holds<bs::v_min, 3, 5>());
static_assert(holds<bs::zero_bubble_h1, 1, 1>() && holds<bs::zero_bubble_h1, 4, 8>());
static_assert(holds<bs::zbv, 1, 1>() && holds<bs::zbv, 4, 3>() && holds<bs::zbv, 4, 8>());
static_assert(holds<bs::dual_pipe_v, 1, 2>() && holds<bs::dual_pipe_v, 4, 9>());
static_assert(holds<bs::dual_pipe, 2, 4>() && holds<bs::dual_pipe, 4, 8>());
static_assert(holds<bs::chimera<>, 2, 2>() && holds<bs::chimera<>, 4, 10>());
static_assert(holds<bs::chimera<4>, 8, 16>());
static_assert(holds<bs::forward_only, 1, 1>() && holds<bs::forward_only, 4, 8>());
static_assert(holds<bs::seq_one_f_one_b<1>, 1, 1>() && holds<bs::seq_one_f_one_b<3>, 4, 8>());

// About 16,000 actions on a rank: what one constant evaluation has to bear.
template <class Policy, int R, int M>
constexpr bool reaches(int least_count) {
  for (int r = 0; r < R; ++r) {
    if (bs::detail::work_v<setup<Policy, R, M>>.count[r] < least_count) return false;
  }
  return true;
}
static_assert(reaches<bs::one_f_one_b, 2, 8000>(16000));
static_assert(reaches<bs::interleaved<2, 5>, 2, 4000>(16000));
static_assert(reaches<bs::zero_bubble_1p<2>, 2, 2600>(15600));
static_assert(reaches<bs::zbv, 2, 2600>(15600));
static_assert(reaches<bs::zero_bubble_2p, 2, 5200>(15600));
static_assert(reaches<bs::v_min, 2, 2600>(15600));
static_assert(reaches<bs::group_interleaved<2, 2>, 2, 2600>(15600));
static_assert(reaches<bs::dual_pipe, 2, 8000>(16000));
static_assert(reaches<bs::chimera<8>, 8, 8000>(16000));

template <class Policy, int R, int M>
void check_same() {
  INFO(std::string(Policy::name));
  constexpr auto& work = bs::detail::work_v<setup<Policy, R, M>>;
  const auto shape = bs::dynamic_shape_for<Policy>(R, M);
  const auto table = bs::generate<Policy>(shape.get());
  for (int r = 0; r < R; ++r) {
    CAPTURE(r);
    CHECK(std::vector<bs::action>(work.list[r], work.list[r] + work.count[r]) == table.list(r));
  }
}

}  // namespace

TEST_CASE("the_constant_is_the_run_time_list") {
  check_same<bs::f_then_b, 4, 8>();
  check_same<bs::one_f_one_b, 4, 8>();
  check_same<bs::one_f_one_b_clamped, 8, 3>();
  check_same<bs::eager_one_f_one_b, 4, 7>();
  check_same<bs::interleaved<2, 5>, 4, 9>();
  check_same<bs::interleaved_overlap<2>, 4, 3>();
  check_same<bs::vpp<3>, 4, 8>();
  check_same<bs::vpp_split_backward<2>, 4, 4>();
  check_same<bs::looped_bfs<3>, 4, 5>();
  check_same<bs::zero_bubble_1p<2>, 4, 8>();
  check_same<bs::zero_bubble_h1, 4, 8>();
  check_same<bs::zero_bubble_2p, 4, 8>();
  check_same<bs::group_interleaved<3, 2>, 4, 5>();
  check_same<bs::v_min, 3, 5>();
  check_same<bs::zbv, 4, 3>();
  check_same<bs::dual_pipe_v, 4, 9>();
  check_same<bs::dual_pipe, 4, 8>();
  check_same<bs::chimera<>, 4, 10>();
  check_same<bs::chimera<4>, 8, 16>();
  check_same<bs::forward_only, 4, 8>();
  check_same<bs::seq_one_f_one_b<3>, 4, 8>();
}
