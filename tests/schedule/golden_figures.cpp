// Policies whose lists need not equal the peers': under the costs that the peer's generator was
// given, they take no more time and no more memory. Both are run by a replay that knows no policy.
#include "support/closed_form_policies.hpp"
#include "support/golden_all.hpp"
#include "support/programs.hpp"
#include "support/replay.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace bs = backstitch;

namespace {

// Most in flight on any rank: what a device must have room for.
int peak_of(const replay::figures& f) {
  int most = 0;
  for (const auto& r : f.rank) most = std::max(most, r.peak);
  return most;
}

// Against exactly `wanted` lists. Those of `.comms` hold the same work.
template <class Policy>
void check_no_worse(const std::string& prefix, std::size_t wanted) {
  using placement = typename decltype(bs::detail::placement_of<Policy>())::type;
  for (const auto& list : golden::load_all(prefix, wanted, ".comms.csv")) {
    CAPTURE(list.file);
    const auto peer = programs::read<placement>(list, bs::detail::chunks_of<Policy>(), 1, false);
    const replay::costs c{list.cost.forward, list.cost.input, list.cost.weight, list.cost.message};
    const auto peers_work = programs::without(peer.lists, programs::is_no_work);
    const auto theirs = replay::run(peer.shape(), peers_work.view(), c);
    REQUIRE(theirs.fault == "");
    const auto work = programs::work<Policy>(list.ranks, list.micro_batches);
    const auto ours = replay::run(work.shape(), work.lists.view(), c);
    REQUIRE(ours.fault == "");
    CHECK(ours.makespan <= theirs.makespan);
    CHECK(peak_of(ours) <= peak_of(theirs));
  }
}

}  // namespace

TEST_CASE("zero_bubble_2p_is_no_worse_than_the_search_of_sail") {
  check_no_worse<bs::zero_bubble_2p>("zb_auto_2p_", 2);
}

TEST_CASE("zero_bubble_1p_is_no_worse_than_the_search_of_sail") {
  check_no_worse<bs::zero_bubble_1p<>>("zb_auto_1p_", 2);
}

TEST_CASE("group_interleaved_is_no_worse_than_sails") {
  check_no_worse<bs::group_interleaved<2, 1>>("zb_groupinterleaved_g1_", 2);
  check_no_worse<bs::group_interleaved<2, 2>>("zb_groupinterleaved_g2_", 1);
  check_no_worse<bs::group_interleaved<2, 4>>("zb_groupinterleaved_g4_", 1);
}

TEST_CASE("v_min_is_no_worse_than_sails") { check_no_worse<bs::v_min>("zb_vmin_", 4); }
