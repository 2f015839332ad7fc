// The text picture, character by character. Worked out by hand: F takes 1 unit, B takes 2, one unit
// is as wide as the longest name of an op and a space.
#include "backstitch/report/grid.hpp"

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

template <class Policy, int R, int M>
std::string grid() {
  return bs::report::to_grid<bs::schedule<Policy, bs::ranks<R>, bs::micro_batches<M>>>();
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

}  // namespace

TEST_CASE("grid_of_1f1b") {
  CHECK(grid<bs::one_f_one_b, 4, 4>() ==
        "rank 0  F0 F1 F2 F3 .. .. .. .. .. .. B0--- .. B1--- .. B2--- .. B3---\n"
        "rank 1  .. F0 F1 F2 .. .. .. .. B0--- F3 B1--- .. B2--- .. B3--- .. ..\n"
        "rank 2  .. .. F0 F1 .. .. B0--- F2 B1--- F3 B2--- .. B3--- .. .. .. ..\n"
        "rank 3  .. .. .. F0 B0--- F1 B1--- F2 B2--- F3 B3--- .. .. .. .. .. ..\n");
}

TEST_CASE("grid_of_f_then_b") {
  CHECK(grid<bs::f_then_b, 2, 3>() ==
        "rank 0  F0 F1 F2 .. .. .. B0--- B1--- B2---\n"
        "rank 1  .. F0 F1 F2 B0--- B1--- B2--- .. ..\n");
}

TEST_CASE("grid_of_one_rank") {
  CHECK(grid<bs::one_f_one_b, 1, 2>() == "rank 0  F0 B0--- F1 B1---\n");
  CHECK(grid<bs::f_then_b, 1, 1>() == "rank 0  F0 B0---\n");
}

// Two digits make every unit wider, also where the number has one; the label follows the ranks.
TEST_CASE("units_are_as_wide_as_the_longest_name") {
  const auto rows = lines(grid<bs::f_then_b, 2, 12>());
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].substr(0, 28) == "rank 0  F0  F1  F2  F3  F4  ");
  CHECK(rows[0].substr(40, 23) == "F8  F9  F10 F11 ... ...");
  CHECK(rows[1].substr(0, 15) == "rank 1  ... F0 ");
  CHECK(rows[0].substr(rows[0].size() - 15) == "B10---- B11----");
  CHECK(rows[1].substr(rows[1].size() - 23) == "B10---- B11---- ... ...");

  const auto many = lines(grid<bs::one_f_one_b_clamped, 11, 1>());
  REQUIRE(many.size() == 11);
  CHECK(many[0].substr(0, 15) == "rank  0  F0 .. ");
  CHECK(many[10].substr(0, 15) == "rank 10  .. .. ");
}

TEST_CASE_TEMPLATE("rows_are_equally_long", Policy, bs::f_then_b, bs::one_f_one_b_clamped) {
  tables::for_sizes<1, 5>([]<int R>() {
    const auto check = []<int M>() {
      CAPTURE(R);
      CAPTURE(M);
      const auto rows = lines(grid<Policy, R, M>());
      REQUIRE(rows.size() == R);
      const std::size_t unit = std::to_string(M - 1).size() + 2;
      const std::size_t units = 3 * std::size_t{M + R - 1};
      for (const std::string& row : rows) {
        CHECK(row.size() == std::string("rank 0  ").size() + units * unit - 1);
        CHECK(row.back() != ' ');
      }
    };
    tables::for_sizes<1, 4>(check);
    tables::for_sizes<10, 12>(check);
  });
}
