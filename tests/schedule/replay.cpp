// The clock that other tests trust: against figures of another program, and what it refuses.
#include "support/replay.hpp"

#include "backstitch/dynamic/schedule.hpp"
#include "backstitch/schedule/placement.hpp"

#include "support/golden.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace bs = backstitch;

namespace {

using kind = bs::action_kind;
using lists = std::vector<std::vector<bs::action>>;

// A list of a peer as the library's own data. Who owns a stage is seen from the line it stands on.
struct imported {
  bs::shape sizes;
  bs::dynamic_timetable table{0};
  std::vector<int> rank_of;
  int splits = 1;
  bool only_forward = true;

  explicit imported(const golden::action_list& g) : table(g.ranks) {
    int stages = 0, pipes = 1;
    each(g, [&](int, const golden::op& o) {
      stages = std::max(stages, o.stage + 1);
      if (o.reversed) pipes = 2;
      splits = std::max(splits, o.split + 1);
    });
    // DeepSeek's lists count the micro-batches of each direction from 0.
    const bool from_zero = g.file.rfind("dualpipe_", 0) == 0;
    rank_of.assign(static_cast<std::size_t>(stages * pipes), -1);
    std::map<const golden::cell*, int> pairs;
    for (int r = 0; r < g.ranks; ++r) {
      for (const golden::cell& c : g.rank[static_cast<std::size_t>(r)]) {
        for (const golden::op& o : c) {
          if (!is_work(o)) continue;
          const int stage = o.stage + (o.reversed ? stages : 0);
          const int first = o.reversed && from_zero ? g.micro_batches / 2 : 0;
          const int group =
              o.overlapped ? pairs.try_emplace(&c, int(pairs.size())).first->second : -1;
          rank_of[static_cast<std::size_t>(stage)] = r;
          table.append(r, {kind_of(o.name), stage,
                           (o.micro_batch + first) * splits + std::max(o.split, 0), -1, group});
        }
      }
    }
    sizes.ranks = g.ranks;
    sizes.stages = stages * pipes;
    sizes.micro_batches = g.micro_batches * splits;
    sizes.pipes = pipes;
    sizes.rank_of_stage = rank_of.data();
  }
  imported(const imported&) = delete;

  static bool is_work(const golden::op& o) { return o.name.size() == 1; }
  kind kind_of(const std::string& name) {
    if (name != "F") only_forward = false;
    return name == "F"   ? kind::forward
           : name == "B" ? kind::backward
           : name == "I" ? kind::backward_input
                         : kind::backward_weight;
  }
  template <class F>
  static void each(const golden::action_list& g, F f) {
    for (int r = 0; r < g.ranks; ++r) {
      for (const golden::cell& c : g.rank[static_cast<std::size_t>(r)]) {
        for (const golden::op& o : c) {
          if (is_work(o)) f(r, o);
        }
      }
    }
  }
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

std::string joined(const replay::figures& f, int replay::rank_figures::*member) {
  std::string out;
  for (const auto& r : f.rank) out += (out.empty() ? "" : "/") + std::to_string(r.*member);
  return out;
}

// Two ranks, one stage each.
replay::figures run(const lists& l, int micro_batches, const replay::costs& c = {}) {
  const auto shape =
      bs::dynamic_shape::of<bs::placement::loop>(int(l.size()), int(l.size()), micro_batches);
  bs::dynamic_timetable t(int(l.size()));
  for (std::size_t r = 0; r < l.size(); ++r) t.list(int(r)) = l[r];
  return replay::run(shape.get(), t.view(), c);
}

constexpr bs::action f(int stage, int m, int group = -1) {
  return {kind::forward, stage, m, -1, group};
}
constexpr bs::action b(int stage, int m, int group = -1) {
  return {kind::backward, stage, m, -1, group};
}
constexpr bs::action i(int stage, int m) { return {kind::backward_input, stage, m, -1, -1}; }
constexpr bs::action w(int stage, int m) { return {kind::backward_weight, stage, m, -1, -1}; }

}  // namespace

// METRICS.csv was made from the same lists by a checker that shares nothing with this one. It lets
// what an overlapped forward makes go before the pair ends; with these lists that changes nothing.
TEST_CASE("the_clock_measures_what_the_reference_checker_measured") {
  std::ifstream in = golden::open("METRICS.csv");
  std::string line;
  std::getline(in, line);
  REQUIRE(line ==
          "file,ok,ranks,stages,ops,makespan,busy,bubble,span_bubble,peak_inflight,peak_pendingW");
  int right = 0, wrong = 0;
  while (std::getline(in, line)) {
    const auto cells = split(line, ',');
    const std::string& file = cells.at(0);
    if (!std::filesystem::exists(BACKSTITCH_TEST_DIR "/golden/" + file)) continue;
    CAPTURE(file);
    const std::string prefix = file.substr(0, file.find("_r", 1) + 1);
    golden::action_list list;
    for (auto& g : golden::load(prefix)) {
      if (g.file == file) list = g;
    }
    REQUIRE(list.file == file);
    const imported given(list);
    const auto figures = replay::run(given.sizes, given.table.view(), {}, given.only_forward);
    if (cells.at(1) != "ok") {
      CHECK_FALSE(figures.ok());
      ++wrong;
      continue;
    }
    REQUIRE(figures.fault == "");
    CHECK(figures.makespan == std::stol(cells.at(5)));
    long busiest = 0, longest = 0;
    for (const auto& r : figures.rank) {
      busiest = std::max(busiest, r.busy);
      longest = std::max(longest, r.end - r.start);
    }
    CHECK(busiest == std::stol(cells.at(6)));
    const double span_bubble = double(longest - busiest) / double(longest);
    CHECK(span_bubble == doctest::Approx(std::stod(cells.at(8))).epsilon(0.001));
    // The reference keeps a forward-only activation to the end; here it is gone at once.
    if (!given.only_forward) CHECK(joined(figures, &replay::rank_figures::peak) == cells.at(9));
    CHECK(joined(figures, &replay::rank_figures::pending) == cells.at(10));
    ++right;
  }
  CHECK(right >= 132);
  CHECK(wrong == 4);
}

TEST_CASE("costs_and_messages_count") {
  const lists two{{f(0, 0), b(0, 0)}, {f(1, 0), b(1, 0)}};
  const auto figures = run(two, 1, {2, 3, 5, 7});
  REQUIRE(figures.fault == "");
  CHECK(figures.makespan == 2 + 7 + 2 + 8 + 7 + 8);
  CHECK(figures.rank[0].busy == 10);
  CHECK(figures.idle(0) == 24);
  CHECK(figures.rank[0].span_idle() == 24);
  CHECK(figures.rank[1].span_idle() == 0);
  CHECK(figures.rank[1].start == 9);

  // W is needed by nobody: stage 0 need not wait for it.
  const lists halves{{f(0, 0), i(0, 0), w(0, 0)}, {f(1, 0), i(1, 0), w(1, 0)}};
  CHECK(run(halves, 1, {2, 3, 5, 7}).makespan == 2 + 7 + 2 + 3 + 7 + 3 + 5);

  // Both of a pair wait for what either needs, and end together.
  const lists pair{{f(0, 0), f(0, 1, 4), b(0, 0, 4), b(0, 1)},
                   {f(1, 0), b(1, 0), f(1, 1), b(1, 1)}};
  CHECK(run(pair, 2, {2, 3, 5, 0}).makespan == 2 + 2 + 8 + 10 + 2 + 8 + 8);
  CHECK(run(pair, 2).rank[0].peak == 2);
}

TEST_CASE("what_cannot_run_is_refused") {
  const std::vector<bs::action> good{f(1, 0), b(1, 0)};
  const std::vector<std::pair<std::string, std::vector<bs::action>>> bad{
      {"twice: 0F0", {f(0, 0), f(0, 0), b(0, 0)}},
      {"twice: 0B0", {f(0, 0), b(0, 0), b(0, 0)}},
      {"twice: 0B0", {f(0, 0), i(0, 0), b(0, 0)}},
      {"twice: 0W0", {f(0, 0), b(0, 0), w(0, 0)}},
      {"stuck on rank 0", {b(0, 0), f(0, 0)}},
      {"stuck on rank 0", {f(0, 0), w(0, 0), i(0, 0)}},
      {"stuck on rank 0", {f(0, 0, 1), b(0, 0, 1)}},
      {"not done: stage 0, micro-batch 0", {f(0, 0)}},
      {"not done: stage 0, micro-batch 0", {f(0, 0), i(0, 0)}},
      {"stage of another rank: 1F0", {f(1, 0)}},
      {"no such stage: 2F0", {f(2, 0)}},
      {"micro-batch of another copy: 0F1", {f(0, 1)}},
      {"micro-batch of another copy: 0F-1", {f(0, -1)}},
      {"no pair: 0F0", {f(0, 0, 3), b(0, 0)}},
      {"no work: 0UPDATE0", {{kind::update, 0, 0, -1, -1}}},
  };
  CHECK(run({{f(0, 0), b(0, 0)}, good}, 1).fault == "");
  for (const auto& [why, list] : bad) CHECK(run({list, good}, 1).fault == why);

  // Each waits for the other.
  CHECK(
      run({{f(0, 0), b(0, 0), f(0, 1), b(0, 1)}, {f(1, 0), f(1, 1), b(1, 0), b(1, 1)}}, 2).fault ==
      "stuck on rank 0");
}
