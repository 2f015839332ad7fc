// The closed forms of the policies at every size that they take: peak, warm-up, idle time. Measured
// by a replay that knows no policy.
#include "backstitch/dynamic/schedule.hpp"
#include "backstitch/schedule/placement.hpp"

#include "support/closed_form_policies.hpp"
#include "support/notation.hpp"
#include "support/replay.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace bs = backstitch;

namespace {

using replay::costs;
constexpr int most_ranks = 8, most_micro_batches = 32;

// Nothing equal, weight halves short and long, forwards long.
const std::vector<costs> uneven{{1, 1, 1}, {2, 3, 1}, {10, 12, 8}, {5, 4, 6}, {1, 5, 2}, {7, 1, 1}};
const std::vector<costs> even{{1, 1, 1}, {7, 7, 7}};

long whole(const costs& c) { return c.input + c.weight; }
long shortest(const costs& c) { return std::min({c.forward, c.input, c.weight}); }

// Everything that is claimed of a policy. A formula gives -1 where it claims nothing.
struct claims {
  int (*peak)(int R, int M, int r);
  int (*warm_up)(int R, int M, int r);  // forwards before the first backward
  long (*idle)(int R, int M, const costs& c);
  const std::vector<costs>& at = uneven;
  int (*pending)(int R, int M, int r) = nullptr;              // W that wait
  long (*span_idle)(int R, int M, const costs& c) = nullptr;  // between a rank's first and last
  // The policy promises the peak of each rank (0), or a bound that is reached on some rank from
  // this many times R micro-batches on.
  int bound_reached_from = 0;
};

// For a peak or warm-up of which nothing is claimed.
int unclaimed(int, int, int) { return -1; }

int forwards_first(const std::vector<bs::action>& list) {
  const auto is_forward = [](const bs::action& a) { return a.kind == bs::action_kind::forward; };
  // The forward of a pair is no warm-up.
  const auto end = std::find_if(list.begin(), list.end(), [&](const bs::action& a) {
    return !is_forward(a) || a.group >= 0;
  });
  return int(end - list.begin());
}

// Equal unless nothing is claimed. Counts what it compared.
struct comparison {
  long compared = 0;
  template <class T>
  void operator()(T measured, T claimed) {
    if (claimed < 0) return;
    CHECK(measured == claimed);
    ++compared;
  }
};

template <class Policy>
void check_at(int R, int M, const claims& claim, comparison& equal) {
  CAPTURE(R);
  CAPTURE(M);
  const auto shape = bs::dynamic_shape_for<Policy>(R, M);
  const auto table = bs::generate<Policy>(shape.get());
  const bool only_forward = bs::detail::is_forward_only<Policy>();
  for (const costs& c : claim.at) {
    const auto figures = replay::run(shape.get(), table.view(), c, only_forward);
    REQUIRE(figures.fault == "");
    bool reached = false;
    for (int r = 0; r < R; ++r) {
      CAPTURE(r);
      const auto& rank = figures.rank[static_cast<std::size_t>(r)];
      equal(rank.peak, claim.peak(R, M, r));
      const int most = Policy::max_in_flight(shape.get(), r);
      CHECK((claim.bound_reached_from == 0 ? rank.peak == most : rank.peak <= most));
      reached = reached || rank.peak == most;
      equal(forwards_first(table.list(r)), claim.warm_up(R, M, r));
      equal(figures.idle(r), claim.idle(R, M, c));
      if (claim.pending != nullptr) equal(rank.pending, claim.pending(R, M, r));
      if (claim.span_idle != nullptr) equal(rank.span_idle(), claim.span_idle(R, M, c));
    }
    CHECK((reached || M < claim.bound_reached_from * R));
  }
}

// At all legal sizes; `wanted` of them, so that a precondition which refuses too much is seen.
template <class Policy>
void check_claims(int wanted, const claims& claim) {
  INFO(std::string(Policy::name));
  int legal = 0;
  comparison equal;
  for (int R = 1; R <= most_ranks; ++R) {
    for (int M = 1; M <= most_micro_batches; ++M) {
      const auto shape = bs::dynamic_shape_for<Policy>(R, M);
      if (bs::check_sizes<Policy>(shape.get()).broken != bs::size_rule::none) continue;
      ++legal;
      check_at<Policy>(R, M, claim, equal);
    }
  }
  CHECK(legal == wanted);
  CHECK(equal.compared > 0);
}

constexpr int all_sizes = most_ranks * most_micro_batches;

// The bubble of the 1F1B family.
long one_bubble(int R, int, const costs& c) { return (R - 1) * (c.forward + whole(c)); }

// With V stages per rank, the second one of a rank waits where M < R.
template <int V>
long looped_bubble(int R, int M, const costs& c) {
  return (R - 1 + (V - 1) * std::max(0, R - M)) * (c.forward + whole(c));
}

// Micro-batches per group as PyTorch divides them.
int equal_group(int R, int M) { return M / std::max(1, M / R); }

template <int V, int Group, int More>
int interleaved_peak(int R, int M, int r) {
  const int N = Group > 0 ? Group : equal_group(R, M);
  return std::min(V * M, (V - 1) * N + 2 * (R - 1 - r) + More + 1);
}
template <int V, int Group>
void check_interleaved(int wanted) {
  // A rank warms up and then adds the forward of the first pair: that is the peak, too.
  check_claims<bs::interleaved<V, Group>>(
      wanted, {interleaved_peak<V, Group, 0>, interleaved_peak<V, Group, 0>, looped_bubble<V>});
  check_claims<bs::interleaved_overlap<V, Group>>(
      wanted, {interleaved_peak<V, Group, 1>, interleaved_peak<V, Group, 1>, looped_bubble<V>});
}

template <int V>
int vpp_peak(int R, int M, int r) {
  return M == R ? V * M : std::min(V * M, (V - 1) * R + 2 * (R - 1 - r) + 1);
}
template <int V>
void check_vpp() {
  check_claims<bs::vpp<V>>(85, {vpp_peak<V>, vpp_peak<V>, one_bubble});
  check_claims<bs::vpp_split_backward<V>>(
      85, {vpp_peak<V>, vpp_peak<V>,
           [](int R, int M, const costs& c) {
             return M == R ? (R - 1) * (c.forward + c.input) : one_bubble(R, M, c);
           },
           uneven, [](int R, int M, int) { return M == R ? V * M : 0; }});
}

template <int V>
void check_looped_bfs() {
  constexpr auto all = [](int, int M, int) { return V * M; };
  check_claims<bs::looped_bfs<V>>(all_sizes, {all, all, looped_bubble<V>});
}

template <int V>
void check_zero_bubble_1p(int wanted) {
  check_claims<bs::zero_bubble_1p<V>>(
      wanted,
      {[](int R, int M, int) { return std::min(V * M, (V - 1) * equal_group(R, M) + R); },
       [](int R, int M, int r) { return std::min(V * M, (V - 1) * equal_group(R, M) + R - r); },
       [](int R, int M, const costs& c) {
         if (V > 1 && M < R) return -1L;
         return (R - 1) * (c.forward + c.input) - (std::min(M, R) - 1) * shortest(c);
       },
       uneven, [](int, int M, int r) { return std::min(V * M, r + 1); }});
}

// Where all that a rank has in flight fits into M, it holds what comes before the first backward.
template <int V, int Group>
void check_group_interleaved() {
  check_claims<bs::group_interleaved<V, Group>>(
      all_sizes, {[](int R, int M, int r) {
                    return Group >= R && M % Group == 0 ? std::min(V * M, (V - 1) * Group + R - r)
                                                        : -1;
                  },
                  unclaimed,
                  [](int R, int M, const costs& c) {
                    return Group >= R && M % Group == 0 ? (R - 1) * 2 * c.forward : -1L;
                  },
                  even, nullptr, nullptr, 4});
}

// Of each copy P, micro-batches come in rounds of R/P.
template <int P>
int chimera_peak(int R, int M, int r) {
  int peak = 0;
  for (int p = 0; p < P; ++p) {
    const int start = p / 2 * (2 * R / P);
    const int place = ((p % 2 == 0 ? r : R - 1 - r) + R - start) % R;
    peak += std::min({R / P, M / P, R - place});
  }
  return peak;
}
template <int P>
long chimera_idle(int R, int M, const costs& c) {
  if (M % R != 0) return -1;
  const long longer = std::max(c.forward, whole(c)), shorter = std::min(c.forward, whole(c));
  const int rounds = M / R;
  return (2 * R / P - 2) * (rounds * longer - (rounds - 1) * shorter);
}
template <int P>
void check_chimera(int wanted) {
  check_claims<bs::chimera<P>>(wanted, {chimera_peak<P>, unclaimed, chimera_idle<P>});
}

template <int Q>
void check_seq() {
  constexpr auto peak = [](int R, int M, int r) { return std::min(Q * M, R - 1 - r + Q); };
  check_claims<bs::seq_one_f_one_b<Q>>(all_sizes, {peak, peak, one_bubble});
}

}  // namespace

TEST_CASE("f_then_b") {
  constexpr auto all = [](int, int M, int) { return M; };
  check_claims<bs::f_then_b>(all_sizes, {all, all, one_bubble});
}

TEST_CASE("one_f_one_b") {
  constexpr auto peak = [](int R, int M, int r) { return std::min(M, R - r); };
  check_claims<bs::one_f_one_b_clamped>(all_sizes, {peak, peak, one_bubble});
  check_claims<bs::one_f_one_b>(228, {peak, peak, one_bubble});
}

TEST_CASE("eager_one_f_one_b") {
  constexpr auto peak = [](int R, int, int r) { return 2 * (R - r) - 1; };
  check_claims<bs::eager_one_f_one_b>(200, {peak, peak, one_bubble});
}

TEST_CASE("interleaved") {
  check_interleaved<1, 0>(163);
  check_interleaved<2, 0>(163);
  check_interleaved<3, 0>(163);
  check_interleaved<4, 0>(163);
  check_interleaved<2, 4>(74);
  check_interleaved<2, 7>(101);
  check_interleaved<3, 8>(116);
  check_interleaved<4, 5>(83);
}

TEST_CASE("vpp") {
  check_vpp<1>();
  check_vpp<2>();
  check_vpp<3>();
  check_vpp<4>();
}

TEST_CASE("looped_bfs") {
  check_looped_bfs<1>();
  check_looped_bfs<2>();
  check_looped_bfs<3>();
  check_looped_bfs<4>();
}

TEST_CASE("zero_bubble_1p") {
  check_zero_bubble_1p<1>(all_sizes);
  check_zero_bubble_1p<2>(163);
  check_zero_bubble_1p<3>(163);
  check_zero_bubble_1p<4>(163);
}

TEST_CASE("zero_bubble_h1") {
  check_claims<bs::zero_bubble_h1>(
      228, {[](int R, int, int) { return R; }, [](int R, int, int r) { return R - r; },
            [](int R, int, const costs& c) {
              if (R < 3) return (R - 1) * (c.forward + c.input - shortest(c));
              if (c.forward > 2 * std::min(c.input, c.weight)) return -1L;
              return (R - 2) * c.forward + (R - 1) * c.input;
            }});
}

TEST_CASE("zero_bubble_2p") {
  check_claims<bs::zero_bubble_2p>(
      all_sizes,
      {[](int R, int M, int) { return std::min(2 * R - 1, M); },
       [](int R, int M, int r) { return std::min(2 * (R - r) - 1, M); },
       [](int R, int M, const costs& c) { return M >= 2 * R - 1 ? (R - 1) * c.forward : -1L; },
       even, nullptr, [](int R, int M, const costs&) { return M >= 2 * R - 1 ? 0L : -1L; }});
}

TEST_CASE("group_interleaved") {
  check_group_interleaved<1, 2>();
  check_group_interleaved<2, 1>();
  check_group_interleaved<2, 2>();
  check_group_interleaved<2, 4>();
  check_group_interleaved<3, 3>();
  check_group_interleaved<4, 8>();
}

TEST_CASE("v_min") {
  check_claims<bs::v_min>(all_sizes, {unclaimed, unclaimed,
                                      [](int R, int M, const costs& c) {
                                        if (R == 1) return 0L;
                                        const int rest = R % 3 == 0 ? 2 : 0;
                                        return M >= (R + 4) / 3 ? (4 * R - 5 + rest) * c.forward
                                                                : -1L;
                                      },
                                      even, nullptr, nullptr, 1});
}

TEST_CASE("zbv") {
  check_claims<bs::zbv>(
      all_sizes,
      {[](int R, int M, int r) {
         return std::min({2 * R, 2 * M, M + 1 + r});
       },
       [](int R, int M, int) { return M >= 2 * R - 1 ? 2 * R : -1; },
       [](int R, int M, const costs& c) { return M >= 2 * R - 1 ? (R - 1) * c.forward : -1L; },
       even, nullptr, [](int R, int M, const costs&) { return M >= 2 * R - 1 ? 0L : -1L; }});
}

TEST_CASE("dual_pipe") {
  const auto check = [](auto policy, int wanted, const claims& c) {
    check_claims<decltype(policy)>(wanted, c);
  };
  check(bs::dual_pipe_v{}, 192,
        {[](int R, int, int) { return 2 * R + 1; },
         [](int R, int, int r) { return 2 * R + (r == R - 1 ? 1 : 0); },
         [](int R, int, const costs& c) {
           return (R - 1) * (c.forward + 2 * whole(c) - 3 * c.weight);
         },
         even});
  check(bs::dual_pipe{}, 48,
        {[](int R, int, int) { return R + 1; },
         [](int R, int, int r) { return R + (r == R / 2 - 1 || r == R / 2 ? 1 : 0); },
         [](int R, int, const costs& c) {
           return (R / 2 - 1) * (c.forward + 2 * whole(c) - 3 * c.weight);
         },
         even});
}

TEST_CASE("chimera") {
  check_chimera<2>(64);
  check_chimera<4>(16);
  check_chimera<8>(4);
}

TEST_CASE("seq_one_f_one_b") {
  check_seq<1>();
  check_seq<2>();
  check_seq<3>();
  check_seq<4>();
}

TEST_CASE("forward_only") {
  check_claims<bs::forward_only>(
      all_sizes, {[](int, int, int) { return 1; }, [](int, int M, int) { return M; },
                  [](int R, int, const costs& c) { return (R - 1) * c.forward; }});
}

// With one piece or one stage per rank they are the plain schedules.
TEST_CASE("special_cases_are_the_plain_orders") {
  for (int R = 1; R <= most_ranks; ++R) {
    for (int M = 1; M <= most_micro_batches; ++M) {
      const auto shape = bs::dynamic_shape_for<bs::one_f_one_b_clamped>(R, M);
      const auto plain = bs::generate<bs::one_f_one_b_clamped>(shape.get());
      const auto whole_sequence = bs::generate<bs::seq_one_f_one_b<1>>(shape.get());
      for (int r = 0; r < R; ++r) CHECK(whole_sequence.list(r) == plain.list(r));
    }
  }
}

// -- the grid of Chimera --------------------------------------------------------------------------

// The paper's claim: laid over each other, the copies never want one rank at one time. From the
// placement alone; the policy then lists that grid in order of ticks.
template <int P>
void check_grid(int R, int M) {
  CAPTURE(R);
  CAPTURE(M);
  const auto shape = bs::dynamic_shape_for<bs::chimera<P>>(R, M);
  const bs::shape s = shape.get();
  REQUIRE(bs::check_sizes<bs::chimera<P>>(s).broken == bs::size_rule::none);
  std::vector<std::set<std::pair<int, std::string>>> grid(static_cast<std::size_t>(R));
  std::set<std::pair<int, int>> taken;  // rank and tick
  for (int stage = 0; stage < s.stages; ++stage) {
    const int copy = stage / R, place = stage % R;
    for (int m = 0; m < M / P; ++m) {
      const int start = m / (R / P) * 2 * R + m % (R / P) * 2;
      const std::string number = std::to_string(copy * (M / P) + m);
      for (const bool back : {false, true}) {
        const int tick = start + (back ? 2 * R - 1 - place : place);
        CHECK(taken.insert({s.rank_of(stage), tick}).second);
        grid[static_cast<std::size_t>(s.rank_of(stage))].insert(
            {tick, std::to_string(stage) + (back ? 'B' : 'F') + number});
      }
    }
  }
  const auto table = bs::generate<bs::chimera<P>>(s);
  for (int r = 0; r < R; ++r) {
    std::string in_order;
    for (const auto& [tick, text] : grid[static_cast<std::size_t>(r)]) {
      in_order += (in_order.empty() ? "" : ",") + text;
    }
    CHECK(notation::text(table.list(r)) == in_order);
  }
}

TEST_CASE("copies_never_want_one_rank_at_one_time") {
  for (const int M : {2, 4, 6, 8, 16, 30}) {
    for (const int R : {2, 4, 6, 8, 16}) check_grid<2>(R, M);
  }
  for (const int M : {4, 8, 12, 16, 32}) {
    for (const int R : {4, 8, 12, 16}) check_grid<4>(R, M);
  }
  for (const int M : {6, 12, 24}) {
    for (const int R : {6, 12, 18}) check_grid<6>(R, M);
  }
  for (const int M : {8, 16, 48}) {
    for (const int R : {8, 16, 24}) check_grid<8>(R, M);
  }
}

// -- order and placement are two things -----------------------------------------------------------

// The same order of stages with the ranks named otherwise: nothing measured may change.
template <class Policy, class Placement>
void check_renamed(int R, int M, const std::vector<int>& rank_was) {
  const auto as_is = bs::dynamic_shape_for<Policy>(R, M);
  const auto moved = bs::dynamic_shape_for<Policy, Placement>(R, M);
  REQUIRE(bs::check_sizes<Policy>(moved.get()).broken == bs::size_rule::none);
  const auto before = bs::generate<Policy>(as_is.get());
  const auto after = bs::generate<Policy>(moved.get());
  for (int r = 0; r < R; ++r) {
    const int old = rank_was[static_cast<std::size_t>(r)];
    CHECK(notation::text(after.list(r)) == notation::text(before.list(old)));
    CHECK(Policy::max_in_flight(moved.get(), r) == Policy::max_in_flight(as_is.get(), old));
  }
}

TEST_CASE("a_rank_works_as_its_stages_ask") {
  using turned = bs::placement::map<2, 0, 1>;
  const std::vector<int> was{1, 2, 0};
  check_renamed<bs::f_then_b, turned>(3, 5, was);
  check_renamed<bs::one_f_one_b, turned>(3, 5, was);
  check_renamed<bs::one_f_one_b_clamped, turned>(3, 2, was);
  check_renamed<bs::eager_one_f_one_b, turned>(3, 5, was);
  check_renamed<bs::zero_bubble_1p<>, turned>(3, 5, was);
  check_renamed<bs::zero_bubble_2p, turned>(3, 5, was);
  check_renamed<bs::zero_bubble_h1, turned>(3, 5, was);
  check_renamed<bs::forward_only, turned>(3, 5, was);
  check_renamed<bs::seq_one_f_one_b<2>, turned>(3, 5, was);
  using turned_loop = bs::placement::map<2, 0, 1, 2, 0, 1>;
  check_renamed<bs::interleaved<2>, turned_loop>(3, 6, was);
  check_renamed<bs::vpp<2>, turned_loop>(3, 6, was);
  check_renamed<bs::group_interleaved<2, 2>, turned_loop>(3, 6, was);
  check_renamed<bs::looped_bfs<2>, turned_loop>(3, 6, was);
  check_renamed<bs::zero_bubble_1p<2>, turned_loop>(3, 6, was);
  using turned_v = bs::placement::map<2, 0, 1, 1, 0, 2>;
  check_renamed<bs::v_min, turned_v>(3, 6, was);
  check_renamed<bs::zbv, turned_v>(3, 6, was);
  check_renamed<bs::dual_pipe_v, turned_v>(3, 6, was);
}

namespace {

// Every rank has as many stages as the policy asks for, but any.
struct shuffled {
  static inline std::vector<int> table;
  static int rank_of(int stage, int, int, int) { return table[static_cast<std::size_t>(stage)]; }
};

template <class Policy>
void check_shuffled() {
  INFO(std::string(Policy::name));
  std::mt19937 random(1);
  int ran = 0;
  for (int k = 0; k < 200; ++k) {
    const int R = 1 + static_cast<int>(random() % 8), M = 1 + static_cast<int>(random() % 24);
    shuffled::table.clear();
    for (int s = 0; s < bs::stages_for<Policy>(R); ++s) shuffled::table.push_back(s % R);
    std::shuffle(shuffled::table.begin(), shuffled::table.end(), random);
    const auto shape = bs::dynamic_shape_for<Policy, shuffled>(R, M);
    const bs::shape s = shape.get();
    if (bs::check_sizes<Policy>(s).broken != bs::size_rule::none) continue;
    ++ran;
    const auto table = bs::generate<Policy>(s);
    int foreign = 0;
    for (int r = 0; r < R; ++r) {
      for (const bs::action& a : table.list(r)) {
        const bool own = a.stage >= 0 && a.stage < s.stages && s.rank_of(a.stage) == r;
        foreign += own ? 0 : 1;
      }
      CHECK(table.list(r).size() <= static_cast<std::size_t>(3 * s.chunks * (s.micro_batches + R)));
    }
    CHECK(foreign == 0);
  }
  CHECK(ran > 0);
}

}  // namespace

// Such an order may be impossible, which a proof then says; the generator must end and stay at
// home.
TEST_CASE("stages_that_stand_anywhere_do_no_harm") {
  check_shuffled<bs::one_f_one_b>();
  check_shuffled<bs::eager_one_f_one_b>();
  check_shuffled<bs::interleaved<3>>();
  check_shuffled<bs::interleaved_overlap<2, 5>>();
  check_shuffled<bs::vpp<2>>();
  check_shuffled<bs::vpp_split_backward<2>>();
  check_shuffled<bs::looped_bfs<3>>();
  check_shuffled<bs::zero_bubble_1p<2>>();
  check_shuffled<bs::zero_bubble_h1>();
  check_shuffled<bs::zero_bubble_2p>();
  check_shuffled<bs::group_interleaved<2, 3>>();
  check_shuffled<bs::v_min>();
  check_shuffled<bs::zbv>();
  check_shuffled<bs::dual_pipe_v>();
  check_shuffled<bs::dual_pipe>();
  check_shuffled<bs::chimera<2>>();
  check_shuffled<bs::chimera<4>>();
  check_shuffled<bs::seq_one_f_one_b<2>>();
}
