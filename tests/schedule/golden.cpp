// The policies against what the peers' own code does, action by action.
#include "support/golden.hpp"

#include "backstitch/analysis/order.hpp"
#include "backstitch/analysis/schedule.hpp"
#include "backstitch/schedule/policies/f_then_b.hpp"
#include "backstitch/schedule/policies/one_f_one_b.hpp"

#include "support/tables.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

namespace bs = backstitch;

namespace {

// OPT_STEP and REDUCE_* are no part of a compute order.
const std::vector<std::string> not_compute{"OPT_STEP", "REDUCE_GRAD", "REDUCE_TIED"};

// At least `wanted` lists, so that a lost folder or a wrong prefix cannot pass.
std::vector<golden::action_list> load_all(const std::string& prefix, std::size_t wanted) {
  CAPTURE(prefix);
  auto lists = golden::load(prefix);
  REQUIRE(lists.size() >= wanted);
  return lists;
}

template <class Policy>
std::string generated(const golden::action_list& list, int rank) {
  return tables::text(tables::generate<Policy>(list.ranks, list.micro_batches, rank));
}

template <class Policy>
void check_order(const golden::action_list& list) {
  CAPTURE(list.file);
  REQUIRE(list.micro_batches >= Policy::min_micro_batches(list.ranks));
  for (int r = 0; r < list.ranks; ++r) {
    CHECK(generated<Policy>(list, r) == golden::text(list.rank[std::size_t(r)], not_compute));
  }
}

void check_one_f_one_b(const golden::action_list& list) {
  if (list.micro_batches >= list.ranks) {
    check_order<bs::one_f_one_b>(list);
  }
  check_order<bs::one_f_one_b_clamped>(list);
}

// The optimizer comes last, once. The lowered list without its messages is the whole row.
template <class Policy>
void check_update(const golden::action_list& list) {
  CAPTURE(list.file);
  const bool known = tables::at_golden_size(list.ranks, list.micro_batches, [&]<int R, int M>() {
    if constexpr (M >= Policy::min_micro_batches(R)) {
      const auto& lowered = bs::schedule<Policy, bs::ranks<R>, bs::micro_batches<M>>::lowered();
      for (int r = 0; r < R; ++r) {
        const golden::row& row = list.rank[std::size_t(r)];
        REQUIRE(row.back().size() == 1);
        CHECK(row.back()[0].name == "OPT_STEP");
        CHECK(lowered.list[r][lowered.count[r] - 1].kind == bs::action_kind::update);
        const auto ours = tables::without(tables::list_of(lowered, r), tables::is_message);
        CHECK(tables::text(ours) == golden::text(row));
      }
    } else {
      FAIL("fewer micro-batches than the policy takes");
    }
  });
  CHECK(known);
}

}  // namespace

TEST_CASE("f_then_b_is_the_order_of_paddle_and_pytorch") {
  for (const auto& list : load_all("paddle_sectionworker_FThenB_", 4)) {
    check_order<bs::f_then_b>(list);
  }
  for (const auto& list : load_all("torchrt_GPipe_", 5)) check_order<bs::f_then_b>(list);
}

TEST_CASE("one_f_one_b_is_the_order_of_paddle_pytorch_and_deepspeed") {
  for (const auto& list : load_all("paddle_sectionworker_1F1B_", 4)) check_one_f_one_b(list);
  for (const auto& list : load_all("torchrt_1F1B_", 5)) check_one_f_one_b(list);
  for (const auto& list : load_all("deepspeed_TrainSchedule_", 6)) check_one_f_one_b(list);
}

TEST_CASE("the_optimizer_comes_where_paddle_runs_it") {
  for (const auto& list : load_all("paddle_sectionworker_FThenB_", 4)) {
    check_update<bs::f_then_b>(list);
  }
  for (const auto& list : load_all("paddle_sectionworker_1F1B_", 4)) {
    check_update<bs::one_f_one_b>(list);
  }
}

// DeepSpeed's cells are clock ticks, F and B one tick each, and it keeps two buffers at least.
TEST_CASE("makespan_and_peak_are_deepspeeds") {
  for (const auto& list : load_all("deepspeed_TrainSchedule_", 6)) {
    CAPTURE(list.file);
    const std::string stem = list.file.substr(0, list.file.rfind(".csv"));
    std::ifstream in = golden::open(stem + ".numbuffers.csv");
    std::vector<int> buffers;
    for (int n = 0; in >> n;) buffers.push_back(n);
    REQUIRE(buffers.size() == std::size_t(list.ranks));

    const bool known = tables::at_golden_size(list.ranks, list.micro_batches, [&]<int R, int M>() {
      const auto t = bs::make_timetable<bs::one_f_one_b_clamped, R, M>();
      const auto figures = bs::prove_order<R, M>(t, bs::costs{1, 1});
      REQUIRE(figures.ok());
      for (int r = 0; r < R; ++r) {
        CAPTURE(r);
        CHECK(std::size_t(figures.makespan) == list.rank[std::size_t(r)].size());
        const int peak = figures.peak_in_flight[r];
        CHECK(buffers[std::size_t(r)] == (peak > 2 ? peak : 2));
      }
    });
    CHECK(known);
  }
}

// PyTorch's static 1F1B list is off by one on the last rank; see golden/README.md.
TEST_CASE("the_known_wrong_list_is_refused") {
  for (const auto& list : load_all("torch_1F1B_", 4)) {
    CAPTURE(list.file);
    const bool known = tables::at_golden_size(list.ranks, list.micro_batches, [&]<int R, int M>() {
      bs::timetable<R, 2 * M + 1> t;
      for (int r = 0; r < R; ++r) {
        const golden::row& row = list.rank[std::size_t(r)];
        const bool right = generated<bs::one_f_one_b>(list, r) == golden::text(row, not_compute);
        CHECK(right == (r < R - 1));
        tables::list_sink sink;
        for (const golden::cell& cell : row) {
          for (const golden::op& o : cell) {
            if (o.name == "F") sink.forward(o.stage, o.micro_batch);
            if (o.name == "B") sink.backward(o.stage, o.micro_batch);
          }
        }
        tables::set_list(t, r, sink.actions);
      }
      // It starts with F1, B0.
      const bs::order_fault fault = bs::prove_order<R, M>(t).fault;
      CHECK(fault.rule == bs::order_rule::backward_before_forward);
      CHECK(fault.rank == R - 1);
      CHECK(fault.slot == 1);
      CHECK(fault.stage == R - 1);
      CHECK(fault.micro_batch == 0);
    });
    CHECK(known);
  }
}

TEST_CASE("the_reader_takes_the_notation_and_nothing_else") {
  std::istringstream good("0F0,,0SEND_F1+0RECV_B0,0B12,0OPT_STEP\n1REDUCE_GRAD,\n");
  const auto rows = golden::read_rows(good, "good");
  REQUIRE(rows.size() == 2);
  REQUIRE(rows[0].size() == 5);
  CHECK(rows[0][1].empty());
  CHECK(rows[0][2].size() == 2);
  CHECK(rows[0][3][0].micro_batch == 12);
  CHECK(rows[0][4][0].micro_batch == -1);
  CHECK(golden::text(rows[0], {"SEND_F"}) == "0F0,0RECV_B0,0B12,0OPT_STEP");
  CHECK(golden::text(rows[1]) == "1REDUCE_GRAD");

  for (const char* bad : {"F0", "0F", "0X0", "0F0x", "-1F0", "0F-1", "0F00", "0F99999",
                          "0OPT_STEP1", "0SEND0", "0F0+", "+0F0", " 0F0", "0F0\r", "0f0"}) {
    CAPTURE(bad);
    std::istringstream in("0F0\n0B0," + std::string(bad) + '\n');
    CHECK_THROWS_WITH_AS(golden::read_rows(in, "bad"), doctest::Contains("bad:2:"),
                         std::runtime_error);
  }
  std::istringstream in("0F0\n0B0,0F1+0Q1\n");
  CHECK_THROWS_WITH(golden::read_rows(in, "bad"), "bad:2:9: unknown cell '0F1+0Q1'");

  golden::action_list list;
  CHECK(golden::read_name("a_r4_v1_m8.csv", "a_", ".csv", list));
  CHECK(list.ranks == 4);
  CHECK(list.micro_batches == 8);
  CHECK_FALSE(golden::read_name("a_r4_v1_m8.comms.csv", "a_", ".csv", list));
  CHECK_FALSE(golden::read_name("a_r4_v2_m8.csv", "a_", ".csv", list));
}
