// Lowering: the messages against PyTorch's runtime, and what both forms promise at every size.
#include "backstitch/schedule/lower.hpp"

#include "backstitch/analysis/schedule.hpp"
#include "backstitch/schedule/link.hpp"
#include "backstitch/schedule/policies/f_then_b.hpp"
#include "backstitch/schedule/policies/one_f_one_b.hpp"

#include "support/golden.hpp"
#include "support/links.hpp"
#include "support/tables.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace bs = backstitch;

namespace {

using tables::list;
using lists = std::vector<list>;

int peer_of(const bs::action& a, const links::table& l) {
  return bs::is_send(a.kind) ? l.at[a.link].to : l.at[a.link].from;
}

// Link and micro-batch of every message that is wanted, in order.
template <class Wanted>
std::vector<std::pair<int, int>> messages(const list& actions, Wanted wanted) {
  std::vector<std::pair<int, int>> found;
  for (const bs::action& a : actions) {
    if (tables::is_message(a) && wanted(a)) found.emplace_back(a.link, a.micro_batch);
  }
  return found;
}

// Every link carries each micro-batch once, and both its ends list them in the same order.
void check_links(const lists& ranks, const links::table& l, int micro_batches) {
  for (int k = 0; k < l.count; ++k) {
    CAPTURE(k);
    const auto on_link = [&](const bs::action& a) { return a.link == k; };
    const auto sent = messages(ranks[std::size_t(l.at[k].from)], on_link);
    CHECK(sent == messages(ranks[std::size_t(l.at[k].to)], on_link));
    std::set<int> carried;
    for (const auto& [link, m] : sent) carried.insert(m);
    REQUIRE(sent.size() == std::size_t(micro_batches));
    CHECK(carried.size() == sent.size());
    CHECK(*carried.begin() == 0);
    CHECK(*carried.rbegin() == micro_batches - 1);
  }
}

// Any two ranks list all that passes between them in the same order, whatever the link. Then one
// untagged channel is enough.
void check_rank_pairs(const lists& ranks, const links::table& l) {
  const auto between = [&](std::size_t a, std::size_t b) {
    return messages(ranks[a], [&](const bs::action& x) { return peer_of(x, l) == int(b); });
  };
  for (std::size_t a = 0; a < ranks.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) CHECK(between(a, b) == between(b, a));
  }
}

// Between two ops, a send and a receive with the same peer are one group if `grouped`, and nothing
// else is. For links of which no two go the same way between two ranks.
void check_groups(const lists& ranks, const links::table& l, bool grouped) {
  int wrong = 0;
  int pairs = 0;
  for (const list& actions : ranks) {
    std::set<int> used;
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const bs::action& a = actions[i];
      wrong += (a.group >= 0) == tables::is_message(a) ? 0 : 1;
      wrong += (a.link >= 0) == tables::is_message(a) ? 0 : 1;
      if (!tables::is_message(a)) continue;
      for (std::size_t j = i + 1; j < actions.size() && tables::is_message(actions[j]); ++j) {
        const bs::action& b = actions[j];
        const bool opposite =
            bs::is_send(a.kind) != bs::is_send(b.kind) && peer_of(a, l) == peer_of(b, l);
        wrong += (a.group == b.group) == (grouped && opposite) ? 0 : 1;
        pairs += opposite ? 1 : 0;
      }
      // A number stands for one run of messages only.
      const bool starts = i == 0 || actions[i - 1].group != a.group;
      if (starts && !used.insert(a.group).second) ++wrong;
    }
  }
  CHECK(wrong == 0);
  if (grouped) {
    CHECK(pairs > 0);
  }
}

// Without its messages a lowered list is the compute list, and ends with the update.
void check_compute(const lists& ranks, const lists& compute, int micro_batches) {
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    list wanted = compute[r];
    wanted.push_back({bs::action_kind::update, int(r), micro_batches - 1, -1, -1});
    CHECK(tables::without(ranks[r], tables::is_message) == wanted);
    CHECK(tables::is_update(ranks[r].back()));
  }
}

// PyTorch groups opposite transfers in 1F1B only. We also do it where F-then-B turns around, at the
// first gradient: the rows then differ by that one `+`.
template <class Policy>
void check_against_pytorch(const std::string& prefix, bool turn_around_is_grouped) {
  const auto goldens = golden::load(prefix, ".comms.csv");
  REQUIRE(goldens.size() >= 5);
  for (const auto& g : goldens) {
    CAPTURE(g.file);
    const bool known = tables::at_golden_size(g.ranks, g.micro_batches, [&]<int R, int M>() {
      constexpr auto chain = bs::chain_links<R>();
      const auto t = bs::lower_late<bs::lowered_capacity(chain, R, R, M), R>(
          bs::make_timetable<Policy, R, M>(), chain, M);
      // Plans lower rank by rank; it is the same program.
      if constexpr (M >= Policy::min_micro_batches(R)) {
        using planned = bs::schedule<Policy, bs::ranks<R>, bs::micro_batches<M>>;
        CHECK(tables::lists_of(planned::lowered()) == tables::lists_of(t));
      }
      for (int r = 0; r < R; ++r) {
        std::string wanted = golden::text(g.rank[std::size_t(r)], {"REDUCE_GRAD"});
        if (!turn_around_is_grouped && r < R - 1) {
          wanted.at(wanted.find(',' + std::to_string(r) + "RECV_B0")) = '+';
        }
        const auto ours = tables::without(tables::list_of(t, r), tables::is_update);
        CHECK(tables::text(ours) == wanted);
      }
    });
    CHECK(known);
  }
}

constexpr int most = 8;  // micro-batches

static_assert(!bs::has_skip_link(links::chain(4), 4));
static_assert(!bs::has_skip_link(links::chain_and_skip(2), 2));  // neighbours
static_assert(bs::has_skip_link(links::chain_and_skip(3), 3));
static_assert(bs::has_skip_link(links::dense(3), 3));

}  // namespace

TEST_CASE("lower_late_is_pytorchs_lowering_groups_included") {
  check_against_pytorch<bs::one_f_one_b>("torchrt_1F1B_", true);
  check_against_pytorch<bs::f_then_b>("torchrt_GPipe_", false);
}

TEST_CASE_TEMPLATE("lower_late_keeps_the_order_and_groups_opposite_transfers", Policy, bs::f_then_b,
                   bs::one_f_one_b_clamped) {
  tables::for_sizes<1, 6>([]<int R>() {
    for (int M = 1; M <= most; ++M) {
      CAPTURE(R);
      CAPTURE(M);
      const auto compute = tables::fill<Policy, R, 2 * most>(M);
      const auto chain = links::chain(R);
      const auto t = tables::lists_of(bs::lower_late<6 * most + 1, R>(compute, chain, M));
      check_compute(t, tables::lists_of(compute), M);
      check_links(t, chain, M);
      check_groups(t, chain, R > 1);
      // The capacity that plans reserve is filled to the last place and no further.
      std::size_t longest = 0;
      for (const list& actions : t) longest = std::max(longest, actions.size());
      CHECK(longest == std::size_t(bs::lowered_capacity(chain, R, R, M)));
    }
  });
}

TEST_CASE_TEMPLATE("lower_together_lists_messages_in_the_same_order_on_both_ends", Policy,
                   bs::f_then_b, bs::one_f_one_b_clamped) {
  tables::for_sizes<1, 6>([]<int R>() {
    tables::for_sizes<1, most>([]<int M>() {
      CAPTURE(R);
      CAPTURE(M);
      const auto compute = tables::fill<Policy, R, 2 * most>(M);
      for (const links::table& l : {links::chain(R), links::chain_and_skip(R), links::dense(R)}) {
        const auto t = tables::lists_of(bs::lower_together<12 * most + 1, R, M>(compute, l));
        check_compute(t, tables::lists_of(compute), M);
        check_links(t, l, M);
        check_rank_pairs(t, l);
        check_groups(t, l, false);
      }
    });
  });
}

// A stuck order must end, and show: rank 0 waits for the gradient of what it has not sent.
TEST_CASE("lower_together_leaves_a_stuck_list_short") {
  const auto compute = tables::table_of<2, 2>({{tables::backward(0, 0), tables::forward(0, 0)},
                                               {tables::forward(1, 0), tables::backward(1, 0)}});
  const auto t = bs::lower_together<7, 2, 1>(compute, links::chain(2));
  CHECK(tables::text(tables::list_of(t, 0)) == "0OPT_STEP");
  CHECK(tables::text(tables::list_of(t, 1)) == "1OPT_STEP");
}

// The farther receiver first, since its answer takes longest. A peer's opposite transfer is grouped
// with the send to it.
TEST_CASE("lower_late_sends_to_the_farthest_first") {
  constexpr int R = 3, M = 3;
  const auto l = links::chain_and_skip(R);
  const auto t =
      tables::lists_of(bs::lower_late<32, R>(tables::fill<bs::one_f_one_b, R, 2 * M>(M), l, M));
  check_links(t, l, M);
  CHECK(tables::text(t[0]) ==
        "0F0,0SEND_F0,0SEND_F0,0F1,0SEND_F1,0SEND_F1,0F2,0SEND_F2,0SEND_F2+0RECV_B0,0B0,"
        "0RECV_B1,0B1,0RECV_B2,0B2,0OPT_STEP");
  CHECK(t[0][1].link == 4);
  CHECK(t[0][2].link == 0);
}
