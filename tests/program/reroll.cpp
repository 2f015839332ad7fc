// Loops found in a rank's list: run out, they are the list again, and their number does not grow
// with the micro-batches.
#include "backstitch/program/reroll.hpp"

#include "backstitch/dynamic/contract.hpp"
#include "backstitch/schedule/policies/f_then_b.hpp"
#include "backstitch/schedule/policies/one_f_one_b.hpp"

#include "support/programs.hpp"
#include "support/tables.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace bs = backstitch;

namespace {

using bs::detail::segment;
using tables::list;

constexpr int max_ranks = 6;

// One rank's list; M = 256 is the longest one here.
constexpr int capacity = 6 * 256 + 1;
using one_rank = bs::timetable<1, capacity>;

one_rank table_of(const list& actions) {
  one_rank t;
  REQUIRE(actions.size() <= std::size_t{capacity});
  for (const bs::action& a : actions) t.append(0, a);
  return t;
}

// The run with the first forward stands alone: it also runs learning-rate ops.
struct first_forward {
  static bool test(const bs::action& a) {
    return a.kind == bs::action_kind::forward && a.micro_batch == 0;
  }
};
struct nothing {
  static bool test(const bs::action& /*a*/) { return false; }
};

std::vector<segment> segments_of(const one_rank& t, bool peel_first) {
  const auto found = peel_first ? bs::detail::reroll<capacity, first_forward>(t, 0)
                                : bs::detail::reroll<capacity, nothing>(t, 0);
  return {found.at, found.at + found.count};
}

// What a loop over the segments would do, with the group numbers of the list's first run.
list expand(const one_rank& t, const std::vector<segment>& segments) {
  list out;
  for (const segment& s : segments) {
    for (int run = 0; run < s.repeats; ++run) {
      for (int i = 0; i < s.period; ++i) {
        bs::action a = t.list[0][s.first + i];
        a.micro_batch += run * s.stride;
        out.push_back(a);
      }
    }
  }
  return out;
}

// Everything but the group numbers.
list ungrouped(list actions) {
  for (bs::action& a : actions) a.group = -1;
  return actions;
}

// Whether each action starts together with the one before it.
std::vector<bool> joints(const list& actions) {
  std::vector<bool> out;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    out.push_back(i > 0 && actions[i].group >= 0 && actions[i].group == actions[i - 1].group);
  }
  return out;
}

// The segments cover the list from end to end, and each run of a body is the list's next part,
// groups included: no two members of a group fall into different runs.
void check_expansion(const list& actions, bool peel_first) {
  const one_rank t = table_of(actions);
  const auto segments = segments_of(t, peel_first);
  CHECK(ungrouped(expand(t, segments)) == ungrouped(actions));

  const auto joined = joints(actions);
  std::size_t at = 0;
  int wrong = 0;
  for (const segment& s : segments) {
    wrong += s.first == static_cast<int>(at) && s.period >= 1 && s.repeats >= 1 ? 0 : 1;
    for (int run = 0; run < s.repeats; ++run) {
      wrong += joined[at] ? 1 : 0;
      for (int i = 0; i < s.period; ++i, ++at) {
        const auto in_first_run = at - static_cast<std::size_t>(run) * std::size_t(s.period);
        if (i > 0) wrong += joined[at] == joined[in_first_run] ? 0 : 1;
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(at == actions.size());
}

// The forward of micro-batch 0, which also runs the learning-rate ops, is in no loop.
void check_first_forward_stands_alone(const list& actions) {
  int found = 0;
  const one_rank t = table_of(actions);
  for (const segment& s : segments_of(t, true)) {
    for (int i = 0; i < s.period; ++i) {
      const bs::action& a = t.list[0][s.first + i];
      if (a.kind != bs::action_kind::forward || a.micro_batch != 0) continue;
      ++found;
      CHECK(s.repeats == 1);
    }
  }
  CHECK(found == 1);
}

// Size of the code: every action of every body is emitted once.
std::string code_size(const list& actions, bool peel_first) {
  const auto segments = segments_of(table_of(actions), peel_first);
  int emitted = 0;
  for (const segment& s : segments) emitted += s.period;
  return std::to_string(segments.size()) + " segments, " + std::to_string(emitted) + " actions";
}

// Both lowerings of a policy at one size, rank by rank.
template <class Policy, int R, int M>
std::vector<list> both_lowerings() {
  const auto work = programs::work<Policy>(R, M);
  std::vector<list> all;
  for (const auto& lowered : {programs::late(work), programs::together(work)}) {
    for (int r = 0; r < R; ++r) all.push_back(lowered.lists.list(r));
  }
  return all;
}

std::vector<std::string> code_sizes(const std::vector<list>& lists) {
  std::vector<std::string> sizes;
  for (const list& actions : lists) {
    sizes.push_back(code_size(actions, false));
    sizes.push_back(code_size(actions, true));
  }
  return sizes;
}

void check_loops(const std::vector<list>& lists) {
  for (const list& actions : lists) {
    CAPTURE(tables::text(actions));
    check_expansion(actions, false);
    check_expansion(actions, true);
    check_first_forward_stands_alone(actions);
  }
}

std::string text(const std::vector<segment>& segments) {
  std::string out;
  for (const segment& s : segments) {
    out += '[' + std::to_string(s.first) + ' ' + std::to_string(s.period) + " x" +
           std::to_string(s.repeats) + " +" + std::to_string(s.stride) + ']';
  }
  return out;
}

}  // namespace

TEST_CASE_TEMPLATE("loops_run_out_to_the_list", Policy, bs::f_then_b, bs::one_f_one_b_clamped) {
  tables::for_sizes<1, max_ranks>([]<int R>() {
    tables::for_sizes<1, 16>([]<int M>() { check_loops(both_lowerings<Policy, R, M>()); });
  });
}

TEST_CASE_TEMPLATE("code_size_does_not_grow_with_the_micro_batches", Policy, bs::f_then_b,
                   bs::one_f_one_b) {
  tables::for_sizes<1, max_ranks>([]<int R>() {
    CAPTURE(R);
    const auto at_16 = code_sizes(both_lowerings<Policy, R, 16>());
    CHECK(code_sizes(both_lowerings<Policy, R, 64>()) == at_16);
    CHECK(code_sizes(both_lowerings<Policy, R, 256>()) == at_16);
  });
}

TEST_CASE("bodies_are_the_ones_that_one_would_write") {
  const auto f = tables::forward;
  const auto b = tables::backward;
  const auto loops = [](const list& actions, bool peel_first) {
    return text(segments_of(table_of(actions), peel_first));
  };
  // [first period xrepeats +stride]
  const list f_then_b{f(0, 0), f(0, 1), f(0, 2), b(0, 0), b(0, 1), b(0, 2)};
  CHECK(loops(f_then_b, false) == "[0 1 x3 +1][3 1 x3 +1]");
  CHECK(loops(f_then_b, true) == "[0 1 x1 +0][1 1 x2 +1][3 1 x3 +1]");
  const list in_turn{f(0, 0), b(0, 0), f(0, 1), b(0, 1), f(0, 2), b(0, 2)};
  CHECK(loops(in_turn, false) == "[0 2 x3 +1]");
  CHECK(loops(in_turn, true) == "[0 2 x1 +0][2 2 x2 +1]");
  // The forward of micro-batch 0 stands alone wherever it comes.
  CHECK(loops({f(0, 3), f(0, 2), f(0, 1), f(0, 0)}, true) == "[0 1 x3 +-1][3 1 x1 +0]");
  CHECK(loops({f(1, 0), f(0, -1), f(1, 1), f(0, 0), f(1, 2), f(0, 1)}, false) == "[0 2 x3 +1]");
  // Backwards, and in steps of two.
  CHECK(loops({b(0, 3), b(0, 2), b(0, 1), b(0, 0)}, false) == "[0 1 x4 +-1]");
  CHECK(loops({f(0, 0), f(0, 2), f(0, 4)}, false) == "[0 1 x3 +2]");
  CHECK(loops({f(0, 0), f(1, 0), f(0, 1)}, false) == "[0 1 x1 +0][1 1 x1 +0][2 1 x1 +0]");
  CHECK(loops({}, true).empty());
}

// Equal messages are no loop when they start together at one place and alone at the other.
TEST_CASE("a_group_and_a_single_message_are_not_one_body") {
  const bs::action send{bs::action_kind::send_forward, 0, 0, 0, 0};
  list apart;
  for (int m = 0; m < 4; ++m) {
    bs::action a = send;
    a.micro_batch = a.group = m;
    apart.push_back(a);
  }
  list paired = apart;
  paired[1].group = paired[0].group;
  CHECK(segments_of(table_of(apart), false).size() == 1);
  CHECK(text(segments_of(table_of(paired), false)) == "[0 2 x1 +0][2 1 x2 +1]");
  check_expansion(paired, false);
}

// A loop does not begin inside a group either: S7+R0, F0, S1+R1, F1, S2+R2, F2.
TEST_CASE("a_group_is_not_cut_by_the_start_of_a_loop") {
  list actions;
  for (int m = 0; m < 3; ++m) {
    actions.push_back({bs::action_kind::send_forward, 0, m == 0 ? 7 : m, 0, m});
    actions.push_back({bs::action_kind::receive_backward, 0, m, 1, m});
    actions.push_back(tables::forward(0, m));
  }
  check_expansion(actions, false);
}

TEST_CASE("messages_on_two_links_are_not_one_body") {
  const list sends{{bs::action_kind::send_forward, 0, 0, 0, 0},
                   {bs::action_kind::send_forward, 0, 1, 2, 1}};
  CHECK(segments_of(table_of(sends), false).size() == 2);
  check_expansion(sends, false);
}

// Any list at all is given back, loops or not.
TEST_CASE("random_lists_run_out_to_themselves") {
  int loops = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 rng(seed);
    list actions;
    for (auto n = rng() % 24; n > 0; --n) {
      const int m = static_cast<int>(rng() % 4);
      actions.push_back(rng() % 2 == 0 ? tables::forward(0, m) : tables::backward(0, m));
    }
    for (const bool peel_first : {false, true}) {
      check_expansion(actions, peel_first);
      for (const segment& s : segments_of(table_of(actions), peel_first)) {
        loops += s.repeats > 1 ? 1 : 0;
      }
    }
  }
  CHECK(loops > 500);
}
