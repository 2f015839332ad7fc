// The reader of tests/golden: the whole notation, and nothing else.
#include "support/golden.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace {

golden::row read_line(const std::string& line) {
  std::istringstream in(line + '\n');
  return golden::read_rows(in, "line").at(0);
}

}  // namespace

TEST_CASE("every_list_is_read_and_written_back") {
  int lists = 0;
  for (const auto& entry : std::filesystem::directory_iterator(BACKSTITCH_TEST_DIR "/golden")) {
    const std::string file = entry.path().filename().string();
    const bool no_list = entry.path().extension() != ".csv" || file == "METRICS.csv" ||
                         file == "COMM_RENDEZVOUS.csv" || file == "zb_SUMMARY.csv" ||
                         file.find(".numbuffers") != std::string::npos;
    if (no_list) continue;
    CAPTURE(file);
    std::ifstream in = golden::open(file);
    std::string raw;
    for (std::string line; std::getline(in, line);) {
      for (const std::string_view cell : golden::detail::split(line, ',')) {
        if (!cell.empty()) raw += (raw.empty() ? "" : ",") + std::string(cell);
      }
    }
    std::ifstream again = golden::open(file);
    std::string read;
    for (const golden::row& r : golden::read_rows(again, file)) {
      const std::string text = golden::text(r);
      if (!text.empty()) read += (read.empty() ? "" : ",") + text;
    }
    CHECK(read == raw);
    ++lists;
  }
  CHECK(lists >= 146);
}

TEST_CASE("cells") {
  const golden::row row = read_line(
      "0F0,,0SEND_F1+0RECV_B0,0B12,1I3,1W3,2F1r,1F2.1,(3F2;0B1)OVERLAP_F_B,(3F2r;0B1)OVERLAP_F_B,"
      "0FREE_SEND_B4,0OPT_STEP,1UNSHARD,1RESHARD,1REDUCE_GRAD,1REDUCE_TIED");
  REQUIRE(row.size() == 16);
  CHECK(row[1].empty());
  REQUIRE(row[2].size() == 2);
  CHECK(row[2][1].name == "RECV_B");
  CHECK(row[3][0].micro_batch == 12);
  CHECK(row[4][0].name == "I");
  CHECK(row[5][0].name == "W");
  CHECK(row[6][0].reversed);
  CHECK(row[6][0].split == -1);
  CHECK(row[7][0].split == 1);
  CHECK_FALSE(row[7][0].reversed);
  REQUIRE(row[8].size() == 2);
  CHECK(row[8][0].overlapped);
  CHECK(row[8][1].overlapped);
  CHECK(row[8][1].name == "B");
  CHECK(row[9][0].reversed);
  CHECK_FALSE(row[9][1].reversed);
  CHECK(row[10][0].name == "FREE_SEND_B");
  CHECK(row[11][0].micro_batch == -1);

  CHECK(golden::text(row, {"SEND_F", "OPT_STEP", "FREE_SEND_B", "UNSHARD", "RESHARD", "REDUCE_GRAD",
                           "REDUCE_TIED"}) ==
        "0F0,0RECV_B0,0B12,1I3,1W3,2F1r,1F2.1,(3F2;0B1)OVERLAP_F_B,(3F2r;0B1)OVERLAP_F_B");
}

TEST_CASE("what_is_not_in_the_notation_is_an_error") {
  for (const char* bad : {"F0",
                          "0F",
                          "0X0",
                          "0F0x",
                          "-1F0",
                          "0F-1",
                          "0F00",
                          "0F99999",
                          "0OPT_STEP1",
                          "0SEND0",
                          "0F0+",
                          "+0F0",
                          " 0F0",
                          "0F0 ",
                          "0F0\r",
                          "0f0",
                          "0I",
                          "0BW0",
                          "0UNSHARD3",
                          "0UNSHARDr",
                          "0FREE_SEND_F0",
                          "0FREE0",
                          "0F0rr",
                          "0Fr0",
                          "0F0.",
                          "0F0.01",
                          "0F0.1r",
                          "0F0r.1",
                          "0F0.1.1",
                          "(0F0;1B0)",
                          "OVERLAP_F_B",
                          "()OVERLAP_F_B",
                          "(0F0)OVERLAP_F_B",
                          "(0F0;1B0)OVERLAP_B_F",
                          "(0F0;1B0;2B0)OVERLAP_F_B",
                          "(0B0;1F0)OVERLAP_F_B",
                          "(0F0;1W0)OVERLAP_F_B",
                          "(0F0+1B0)OVERLAP_F_B",
                          "(0F0;1B0)OVERLAP_F_B+0F1",
                          "0F1+(0F0;1B0)OVERLAP_F_B",
                          "((0F0;1B0)OVERLAP_F_B;1B0)OVERLAP_F_B",
                          "0F0;1B0",
                          "(0F0;1B0)OVERLAP_F_Br"}) {
    CAPTURE(bad);
    std::istringstream in("0F0\n0B0," + std::string(bad) + '\n');
    CHECK_THROWS_WITH_AS(golden::read_rows(in, "bad"), doctest::Contains("bad:2:"),
                         std::runtime_error);
  }
  std::istringstream in("0F0\n0B0,0F1+0Q1\n");
  CHECK_THROWS_WITH(golden::read_rows(in, "bad"), "bad:2:9: unknown cell '0F1+0Q1'");
}

TEST_CASE("names") {
  golden::action_list a;
  REQUIRE(golden::read_name("a_r4_v2_m8.csv", "a_", ".csv", a));
  CHECK(a.ranks == 4);
  CHECK(a.chunks == 2);
  CHECK(a.pipes == 1);
  CHECK(a.micro_batches == 8);
  CHECK(a.group == 0);
  CHECK(a.cost == golden::costs{});

  golden::action_list b;
  REQUIRE(golden::read_name("b_r4_v3_m8_group5.teorder.csv", "b_", ".teorder.csv", b));
  CHECK(b.chunks == 3);
  CHECK(b.group == 5);

  golden::action_list c;
  REQUIRE(golden::read_name("c_r4_p2_m4.csv", "c_", ".csv", c));
  CHECK(c.pipes == 2);
  CHECK(c.chunks == 1);

  golden::action_list d;
  REQUIRE(golden::read_name("d_r4_m8_f10b12w8c1.comms.csv", "d_", ".comms.csv", d));
  CHECK(d.cost == golden::costs{10, 12, 8, 1});
  REQUIRE(golden::read_name("d_r4_m8_f1b1w1c0.csv", "d_", ".csv", d));
  CHECK(d.cost == golden::costs{1, 1, 1, 0});

  for (const char* bad :
       {"a_r4_v2_m8.comms.csv", "a_r4_v2_m8.csv.csv", "a_r0_m8.csv", "a_r4_m0.csv",
        "a_r4_v0_m8.csv", "a_v2_m8.csv", "a_r4.csv", "a_r4_v2.csv", "a_r04_m8.csv",
        "a_r4_m8_group.csv", "a_r4_m8_f1b1w1.csv", "a_r4_m8_f1b1c0.csv", "a_r4_m8_f0b1w1c0.csv",
        "a_b_r4_m8.csv", "b_r4_m8.csv", "a_m8_r4.csv"}) {
    CAPTURE(bad);
    golden::action_list list;
    CHECK_FALSE(golden::read_name(bad, "a_", ".csv", list));
  }
}
