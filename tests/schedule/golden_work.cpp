// The closed-form policies against what the peers' own code does, action by action.
#include "backstitch/dynamic/schedule.hpp"

#include "support/closed_form_policies.hpp"
#include "support/golden_all.hpp"
#include "support/notation.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

namespace bs = backstitch;

namespace {

using golden::load_all;

// What is no work of a micro-batch.
const std::vector<std::string> no_work{"OPT_STEP", "REDUCE_GRAD", "REDUCE_TIED",
                                       "UNSHARD",  "RESHARD",     "FREE_SEND_B"};

template <class Policy>
void check_work(const golden::action_list& list, const notation::style& style = {},
                const std::vector<std::string>& dropped = no_work) {
  CAPTURE(list.file);
  const auto shape = bs::dynamic_shape_for<Policy>(list.ranks, list.micro_batches);
  REQUIRE(bs::check_sizes<Policy>(shape.get()).broken == bs::size_rule::none);
  const auto ours = bs::generate<Policy>(shape.get());
  for (int r = 0; r < list.ranks; ++r) {
    CAPTURE(r);
    CHECK(notation::text(ours.list(r), style) ==
          golden::text(list.rank[static_cast<std::size_t>(r)], dropped));
  }
}

template <class Policy>
void check_all(const std::string& prefix, std::size_t wanted) {
  for (const auto& list : load_all(prefix, wanted)) check_work<Policy>(list);
}

// Policies with a number of stages per rank: f.template operator()<V>() for the file's.
template <class F>
void with_chunks(const golden::action_list& list, F f) {
  CAPTURE(list.file);
  switch (list.chunks) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 3:
      return f.template operator()<3>();
    default:
      FAIL("another number of stages per rank");
  }
}
template <template <int> class Policy>
void check_all_chunks(const std::string& prefix, std::size_t wanted) {
  for (const auto& list : load_all(prefix, wanted)) {
    with_chunks(list, [&]<int V>() { check_work<Policy<V>>(list); });
  }
}

template <int V>
using equal_groups = bs::interleaved<V>;

// Megatron-LM's groups: those of the files.
template <template <int, int> class Policy>
void check_all_groups(const std::string& prefix, std::size_t wanted) {
  for (const auto& list : load_all(prefix, wanted)) {
    with_chunks(list, [&]<int V>() {
      switch (list.group) {
        case 2:
          return check_work<Policy<V, 2>>(list);
        case 3:
          return check_work<Policy<V, 3>>(list);
        case 4:
          return check_work<Policy<V, 4>>(list);
        default:
          FAIL("another group size");
      }
    });
  }
}

void check_one_f_one_b(const std::string& prefix, std::size_t wanted,
                       const std::vector<std::string>& dropped = no_work) {
  for (const auto& list : load_all(prefix, wanted)) {
    check_work<bs::one_f_one_b_clamped>(list, {}, dropped);
    if (list.micro_batches >= list.ranks) check_work<bs::one_f_one_b>(list, {}, dropped);
  }
}

}  // namespace

TEST_CASE("f_then_b_is_the_order_of_paddle_and_pytorch") {
  check_all<bs::f_then_b>("torch_GPipe_", 4);
  check_all<bs::f_then_b>("torchrt_GPipe_", 5);
  check_all<bs::f_then_b>("paddle_FThenB_", 4);
  check_all<bs::f_then_b>("paddle2023_FThenB_", 2);
  check_all<bs::f_then_b>("paddle_sectionworker_FThenB_", 4);
}

TEST_CASE("one_f_one_b_is_the_order_of_everybody") {
  check_one_f_one_b("torchrt_1F1B_", 5);
  check_one_f_one_b("megatron_1f1b_", 4);
  check_one_f_one_b("deepspeed_TrainSchedule_", 6);
  check_one_f_one_b("paddle_1F1B_", 4);
  check_one_f_one_b("paddle2023_1F1B_", 2);
  check_one_f_one_b("paddle_sectionworker_1F1B_", 4);
  check_one_f_one_b("paddle_sectionworker_1F1B_gc_", 4);
  check_one_f_one_b("zb_1f1b_", 2);

  // These name their messages, too.
  auto dropped = no_work;
  dropped.insert(dropped.end(), {"RECV_F", "SEND_B"});
  check_one_f_one_b("paddle_1F1B_pir_", 4, dropped);
}

TEST_CASE("eager_one_f_one_b_is_paddles") {
  check_all<bs::eager_one_f_one_b>("paddle2023_Eager1F1B_", 2);
}

TEST_CASE("interleaved_is_the_order_of_pytorch_megatron_and_sail") {
  check_all_chunks<equal_groups>("torch_Interleaved1F1B_", 7);
  check_all_groups<bs::interleaved>("megatron_interleaved_", 5);
  check_all_groups<bs::interleaved_overlap>("megatron_interleaved_overlapmoe_", 5);
  check_all_chunks<equal_groups>("zb_vpp_", 4);
}

TEST_CASE("vpp_is_paddles") {
  check_all_chunks<bs::vpp>("paddle_VPP_", 8);
  check_all_chunks<bs::vpp_split_backward>("paddle_VPP_splitbwd_", 4);
  // With more micro-batches than ranks nothing is split, and the order is sail's.
  for (const auto& list : load_all("zb_vpp_", 4)) {
    with_chunks(list, [&]<int V>() {
      check_work<bs::vpp<V>>(list);
      check_work<bs::vpp_split_backward<V>>(list);
    });
  }
}

TEST_CASE("looped_bfs_is_pytorchs") { check_all_chunks<bs::looped_bfs>("torch_LoopedBFS_", 4); }

TEST_CASE("zero_bubble_is_the_order_of_pytorch_and_paddle") {
  check_all_chunks<bs::zero_bubble_1p>("torch_InterleavedZeroBubble_", 6);
  check_all<bs::zbv>("torch_ZBVZeroBubble_", 6);
  check_all<bs::zero_bubble_h1>("paddle_ZBH1_", 4);
}

TEST_CASE("group_interleaved_is_sails") {
  std::vector<std::string> dropped = no_work;
  dropped.insert(dropped.end(), {"SEND_F", "RECV_F", "SEND_B", "RECV_B"});
  const auto check = [&]<int Group>(std::size_t wanted) {
    const auto prefix = "zb_groupinterleaved_g" + std::to_string(Group) + "_";
    for (const auto& list : load_all(prefix, wanted, ".comms.csv")) {
      check_work<bs::group_interleaved<2, Group>>(list, {}, dropped);
    }
  };
  check.operator()<1>(2);
  check.operator()<2>(1);
  check.operator()<4>(1);
}

TEST_CASE("dual_pipe_is_the_order_of_deepseek_and_pytorch") {
  check_all<bs::dual_pipe_v>("dualpipev_", 3);
  check_all<bs::dual_pipe_v>("torch_DualPipeV_", 3);
  for (const auto& list : load_all("dualpipe_", 2)) {
    check_work<bs::dual_pipe>(list, {list.ranks, list.micro_batches / 2, 0});
  }
}

TEST_CASE("forward_only_is_the_order_of_pytorch_and_deepspeed") {
  check_all<bs::forward_only>("torchrt_ForwardOnly_", 5);
  check_all<bs::forward_only>("deepspeed_InferenceSchedule_", 6);
}

TEST_CASE("chimera_is_the_papers_grid") {
  for (const auto& list : load_all("chimera_", 2)) {
    REQUIRE(list.pipes == 2);
    check_work<bs::chimera<2>>(list, {list.ranks, 0, 0});
  }
}

TEST_CASE("seq_one_f_one_b_is_sails") {
  for (const auto& list : load_all("zb_seq1f1b_s2_", 2)) {
    check_work<bs::seq_one_f_one_b<2>>(list, {0, 0, 2});
  }
}
