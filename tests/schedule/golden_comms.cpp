// Lowered programs against what the peers' own code issues: PyTorch's lists action by action, and
// every list with messages through the contract, under four channel models.
#include "backstitch/dynamic/contract.hpp"

#include "support/closed_form_policies.hpp"
#include "support/golden_all.hpp"
#include "support/programs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace bs = backstitch;

namespace {

const std::vector<std::string> only_pytorch{"UNSHARD", "RESHARD", "REDUCE_GRAD"};

enum class form { late, together };

// In PyTorch's lists a rank also gathers and frees parameters and reduces gradients, which takes it
// as long as an op: how often it does so before each entry of work.
std::vector<std::vector<int>> read_pauses(const golden::action_list& g) {
  std::vector<std::vector<int>> out;
  for (const golden::row& row : g.rank) {
    std::vector<int>& pauses = out.emplace_back(1);
    for (const golden::cell& cell : row) {
      const bool other =
          std::find(only_pytorch.begin(), only_pytorch.end(), cell[0].name) != only_pytorch.end();
      const bool work = cell[0].name.size() == 1;
      if (other) ++pauses.back();
      for (std::size_t i = 0; work && i < cell.size(); ++i) pauses.push_back(0);
    }
  }
  return out;
}

template <class Policy>
void check_against_pytorch(const std::string& prefix, std::size_t wanted, form lowering) {
  for (const auto& g : golden::load_all(prefix, wanted, ".comms.csv")) {
    CAPTURE(g.file);
    if (bs::detail::chunks_of<Policy>() != g.chunks) continue;
    const auto work = programs::work<Policy>(g.ranks, g.micro_batches);
    const auto pauses = read_pauses(g);
    std::vector<const int*> pauses_of;
    for (const auto& p : pauses) pauses_of.push_back(p.data());
    const auto ours =
        lowering == form::late ? programs::late(work) : programs::together(work, pauses_of.data());
    const auto no_updates = programs::without(ours.lists, programs::is_update);
    for (int r = 0; r < g.ranks; ++r) {
      CHECK(programs::text(no_updates.list(r), ours.shape()) ==
            golden::text(g.rank[std::size_t(r)], only_pytorch));
    }
  }
}

// A row of the CSV file: what an independent program says of a list under each model.
std::map<std::string, std::vector<bool>> read_verdicts() {
  std::map<std::string, std::vector<bool>> out;
  std::ifstream in = golden::open("COMM_RENDEZVOUS.csv");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (char c : line) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    REQUIRE(cells.size() == 5);
    for (std::size_t i = 1; i < cells.size(); ++i) out[cells[0]].push_back(cells[i] == "ok");
  }
  return out;
}

struct family {
  const char* prefix;
  programs::program (*read)(const golden::action_list&, int, int, bool);
  int chunks;
  int pipes;
  bool forward_only;
};
const family families[] = {
    {"deepspeed_InferenceSchedule_", programs::read<bs::placement::loop>, 1, 1, true},
    {"deepspeed_TrainSchedule_", programs::read<bs::placement::loop>, 1, 1, false},
    {"dualpipe_", programs::read<bs::placement::bidirectional>, 2, 2, false},
    {"dualpipev_", programs::read<bs::placement::v>, 2, 1, false},
    {"torch_DualPipeV_", programs::read<bs::placement::v>, 2, 1, false},
    {"torch_GPipe_", programs::read<bs::placement::loop>, 1, 1, false},
    {"torch_Interleaved1F1B_", programs::read<bs::placement::loop>, 1, 1, false},
    {"torch_InterleavedZeroBubble_", programs::read<bs::placement::loop>, 1, 1, false},
    {"torch_LoopedBFS_", programs::read<bs::placement::loop>, 1, 1, false},
    {"torch_ZBVZeroBubble_", programs::read<bs::placement::v>, 2, 1, false},
    {"torchrt_1F1B_", programs::read<bs::placement::loop>, 1, 1, false},
    {"torchrt_ForwardOnly_", programs::read<bs::placement::loop>, 1, 1, true},
    {"torchrt_GPipe_", programs::read<bs::placement::loop>, 1, 1, false},
    {"zb_1f1b_", programs::read<bs::placement::loop>, 1, 1, false},
    {"zb_1f1bv_", programs::read<bs::placement::v>, 2, 1, false},
    {"zb_auto_1.5p_", programs::read<bs::placement::loop>, 1, 1, false},
    {"zb_auto_1p_", programs::read<bs::placement::loop>, 1, 1, false},
    {"zb_auto_2p_", programs::read<bs::placement::loop>, 1, 1, false},
    {"zb_groupinterleaved_g1_", programs::read<bs::placement::loop>, 1, 1, false},
    {"zb_groupinterleaved_g2_", programs::read<bs::placement::loop>, 1, 1, false},
    {"zb_groupinterleaved_g4_", programs::read<bs::placement::loop>, 1, 1, false},
    {"zb_vhalf_", programs::read<bs::placement::v>, 2, 1, false},
    {"zb_vmin_", programs::read<bs::placement::v>, 2, 1, false},
    {"zb_vpp_", programs::read<bs::placement::loop>, 1, 1, false},
    {"zb_zbv_", programs::read<bs::placement::v>, 2, 1, false},
};

}  // namespace

TEST_CASE("one_stage_per_rank_receives_late_as_pytorchs_runtime_does") {
  check_against_pytorch<bs::one_f_one_b>("torchrt_1F1B_", 5, form::late);
  check_against_pytorch<bs::f_then_b>("torchrt_GPipe_", 5, form::late);
  check_against_pytorch<bs::forward_only>("torchrt_ForwardOnly_", 5, form::late);
}

TEST_CASE("several_stages_per_rank_receive_early_as_pytorch_lowers_them") {
  check_against_pytorch<bs::f_then_b>("torch_GPipe_", 4, form::together);
  check_against_pytorch<bs::interleaved<2>>("torch_Interleaved1F1B_", 7, form::together);
  check_against_pytorch<bs::interleaved<3>>("torch_Interleaved1F1B_", 7, form::together);
  check_against_pytorch<bs::looped_bfs<2>>("torch_LoopedBFS_", 4, form::together);
  check_against_pytorch<bs::looped_bfs<3>>("torch_LoopedBFS_", 4, form::together);
  check_against_pytorch<bs::zero_bubble_1p<2>>("torch_InterleavedZeroBubble_", 6, form::together);
  check_against_pytorch<bs::zero_bubble_1p<3>>("torch_InterleavedZeroBubble_", 6, form::together);
  check_against_pytorch<bs::zbv>("torch_ZBVZeroBubble_", 6, form::together);
  check_against_pytorch<bs::dual_pipe_v>("torch_DualPipeV_", 3, form::together);
}

// The lists of a peer that issues work it has not received for are refused for that; what is left
// is what an independent program says.
TEST_CASE("every_list_with_messages_is_judged_as_by_the_independent_program") {
  const auto verdicts = read_verdicts();
  const bs::channel_model models[] = {
      bs::channel::rendezvous::model, bs::channel::fifo_per_rank_pair::model,
      bs::channel::fifo_per_directed_pair::model, bs::channel::fifo_per_direction_kind::model};
  std::size_t judged = 0, refused = 0;
  for (const family& f : families) {
    for (const char* suffix : {".comms.csv", ".comms_deferrecv.csv"}) {
      for (const auto& g : golden::load(f.prefix, suffix)) {
        CAPTURE(g.file);
        const auto found = verdicts.find(g.file);
        REQUIRE(found != verdicts.end());
        const auto p = f.read(g, f.chunks, f.pipes, f.forward_only);
        for (std::size_t i = 0; i < 4; ++i) {
          CAPTURE(i);
          const bs::fault fault = p.check(models[i]);
          CAPTURE(bs::rule_name(fault.broken));
          CHECK((fault.broken == bs::rule::none) == found->second[i]);
          if (fault.broken == bs::rule::none) continue;
          ++refused;
          // For the right reason.
          CHECK(fault.broken == (i == 0 ? bs::rule::deadlock : bs::rule::message_order));
          if (i == 0) CHECK(fault.waiting >= 2);
        }
        ++judged;
      }
    }
  }
  CHECK(judged == verdicts.size());
  CHECK(refused > 26);
}
