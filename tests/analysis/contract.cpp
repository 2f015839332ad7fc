// The contract, rule by rule: small programs with one fault each, named with its place.
#include "backstitch/dynamic/contract.hpp"

#include "support/closed_form_policies.hpp"
#include "support/golden.hpp"
#include "support/programs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace bs = backstitch;

namespace {

using bs::action_kind;
using bs::rule;
using list = std::vector<bs::action>;

programs::program two_ranks() { return programs::together(programs::work<bs::one_f_one_b>(2, 2)); }
programs::program split_ranks() {
  return programs::together(programs::work<bs::zero_bubble_1p<1>>(2, 2));
}
programs::program two_copies() { return programs::together(programs::work<bs::chimera<2>>(2, 2)); }

std::size_t find(const list& l, action_kind kind, int micro_batch) {
  const auto at = std::find_if(l.begin(), l.end(), [&](const bs::action& a) {
    return a.kind == kind && a.micro_batch == micro_batch;
  });
  REQUIRE(at != l.end());
  return static_cast<std::size_t>(at - l.begin());
}
void move_entry(list& l, std::size_t from, std::size_t to) {
  const bs::action a = l[from];
  l.erase(l.begin() + static_cast<std::ptrdiff_t>(from));
  l.insert(l.begin() + static_cast<std::ptrdiff_t>(to), a);
}

void check_rule(const programs::program& p, rule broken, int rank) {
  const bs::fault f = p.check();
  CAPTURE(bs::rule_name(f.broken));
  CHECK(f.broken == broken);
  CHECK(f.rank == rank);
}

}  // namespace

TEST_CASE("what_the_library_lowers_is_valid") {
  CHECK(two_ranks().check().broken == rule::none);
  CHECK(split_ranks().check().broken == rule::none);
  CHECK(two_copies().check().broken == rule::none);
}

TEST_CASE("foreign_actions") {
  auto p = two_ranks();
  p.lists.list(0)[0].stage = 1;
  check_rule(p, rule::foreign_action, 0);
  p = two_ranks();
  p.lists.list(1)[find(p.lists.list(1), action_kind::backward, 1)].micro_batch = 2;
  check_rule(p, rule::foreign_action, 1);
  p = two_ranks();
  p.lists.list(0)[find(p.lists.list(0), action_kind::send_forward, 0)].link = 1;
  check_rule(p, rule::foreign_action, 0);
  p = two_ranks();
  p.forward_only = true;
  check_rule(p, rule::foreign_action, 0);
}

TEST_CASE("work_twice_missing_or_mixed") {
  auto p = two_ranks();
  p.lists.list(1)[find(p.lists.list(1), action_kind::forward, 1)].micro_batch = 0;
  check_rule(p, rule::work_done_twice, 1);
  p = two_ranks();
  const auto& l = p.lists.list(0);
  p.lists.list(0).erase(l.begin() + static_cast<std::ptrdiff_t>(find(l, action_kind::backward, 1)));
  // Its update comes before the last backward, since there is none.
  check_rule(p, rule::update_too_early, 0);
  p = split_ranks();
  p.lists.list(1)[find(p.lists.list(1), action_kind::backward_weight, 0)].kind =
      action_kind::backward;
  check_rule(p, rule::mixed_backward, 1);
}

TEST_CASE("order_within_a_rank") {
  auto p = two_ranks();
  move_entry(p.lists.list(1), find(p.lists.list(1), action_kind::backward, 0), 0);
  check_rule(p, rule::backward_before_forward, 1);
  p = split_ranks();
  auto& l = p.lists.list(1);
  std::swap(l[find(l, action_kind::backward_input, 1)],
            l[find(l, action_kind::backward_weight, 1)]);
  check_rule(p, rule::weight_before_input, 1);
  p = two_ranks();
  move_entry(p.lists.list(1), find(p.lists.list(1), action_kind::receive_forward, 0), 1);
  check_rule(p, rule::received_too_late, 1);
  p = two_ranks();
  move_entry(p.lists.list(0), find(p.lists.list(0), action_kind::send_forward, 0), 0);
  check_rule(p, rule::sent_too_early, 0);
  p = two_ranks();
  auto& first = p.lists.list(0);
  first.erase(first.begin() +
              static_cast<std::ptrdiff_t>(find(first, action_kind::receive_backward, 1)));
  check_rule(p, rule::received_too_late, 0);
  p = two_ranks();
  auto& last = p.lists.list(1);
  last.erase(last.begin() + static_cast<std::ptrdiff_t>(find(last, action_kind::send_backward, 1)));
  check_rule(p, rule::message_missing, 1);
}

TEST_CASE("groups_hold_messages_or_one_pair") {
  auto p = two_ranks();
  p.lists.list(0)[0].group = 7;
  check_rule(p, rule::bad_group, 0);
  p = two_ranks();
  auto& l = p.lists.list(1);
  const std::size_t f = find(l, action_kind::forward, 0);
  l[f].group = l[f - 1].group = 3;
  check_rule(p, rule::bad_group, 1);
}

TEST_CASE("updates_and_reductions") {
  auto p = two_ranks();
  p.lists.list(1).pop_back();
  check_rule(p, rule::update_missing, 1);
  p = two_ranks();
  move_entry(p.lists.list(1), p.lists.list(1).size() - 1, 2);
  check_rule(p, rule::update_too_early, 1);

  p = two_copies();
  const auto reductions = [](const bs::action& a) { return a.kind == action_kind::reduce; };
  auto& l = p.lists.list(1);
  l.erase(std::remove_if(l.begin(), l.end(), reductions), l.end());
  check_rule(p, rule::reduce_missing, 1);
  p = two_copies();
  auto& early = p.lists.list(0);
  move_entry(early,
             static_cast<std::size_t>(std::find_if(early.begin(), early.end(), reductions) -
                                      early.begin()),
             1);
  check_rule(p, rule::reduce_too_early, 0);
  // The two ranks reduce in opposite orders: each waits at another model stage.
  p = two_copies();
  auto& swapped = p.lists.list(1);
  const auto first = std::find_if(swapped.begin(), swapped.end(), reductions);
  std::swap(*first, *std::find_if(first + 1, swapped.end(), reductions));
  const bs::fault f = p.check();
  CHECK(f.broken == rule::deadlock);
  CHECK(f.waiting == 2);
}

TEST_CASE("releases") {
  const auto with_releases = [] {
    auto p = two_ranks();
    for (int r = 0; r < 2; ++r) {
      auto& l = p.lists.list(r);
      for (int m = 0; m < 2; ++m) {
        l.insert(l.end() - 1, {action_kind::release, r, m, -1, -1});
      }
    }
    return p;
  };
  CHECK(with_releases().check().broken == rule::none);
  auto p = with_releases();
  move_entry(p.lists.list(1), find(p.lists.list(1), action_kind::release, 1), 2);
  check_rule(p, rule::released_too_early, 1);
  // Right behind the backward, but before its gradient has left.
  p = with_releases();
  move_entry(p.lists.list(1), find(p.lists.list(1), action_kind::release, 1),
             find(p.lists.list(1), action_kind::backward, 1) + 1);
  check_rule(p, rule::released_too_early, 1);
  p = with_releases();
  auto& l = p.lists.list(0);
  l.erase(l.begin() + static_cast<std::ptrdiff_t>(find(l, action_kind::release, 0)));
  check_rule(p, rule::release_missing, 0);
}

TEST_CASE("what_a_rank_may_hold") {
  const auto p = two_ranks();
  const int enough[] = {2, 1}, too_few[] = {1, 1};
  CHECK(bs::check_program(p.shape(), p.links, p.lists.view(), {}, false, enough).broken ==
        rule::none);
  const auto f = bs::check_program(p.shape(), p.links, p.lists.view(), {}, false, too_few);
  CHECK(f.broken == rule::too_many_in_flight);
  CHECK(f.rank == 0);
}

// One call per transfer: two neighbours send to each other and wait.
TEST_CASE("textbook_1f1b_deadlocks_without_groups_and_buffers") {
  for (int R = 2; R <= 6; ++R) {
    for (int M = 2; M <= 9; ++M) {
      CAPTURE(R);
      CAPTURE(M);
      auto p = programs::late(programs::work<bs::one_f_one_b_clamped>(R, M));
      CHECK(p.check().broken == rule::none);
      for (int r = 0; r < R; ++r) {
        for (bs::action& a : p.lists.list(r)) a.group = -1;
      }
      const bs::fault f = p.check();
      CHECK(f.broken == rule::deadlock);
      CHECK(f.waiting == 2);
      CHECK(f.cycle[1] - f.cycle[0] == 1);
      CHECK(p.check(bs::channel::capacity<1>::model).broken == rule::none);
    }
  }
}

// A batch with two peers is over when both have come, and that may be in their own time.
TEST_CASE("a_group_may_have_several_peers") {
  auto p = programs::together(programs::work<bs::forward_only>(3, 2));
  auto& middle = p.lists.list(1);
  const std::size_t send = find(middle, action_kind::send_forward, 0);
  const std::size_t receive = find(middle, action_kind::receive_forward, 1);
  move_entry(middle, receive, receive < send ? send : send + 1);
  const std::size_t first = std::min(find(middle, action_kind::send_forward, 0),
                                     find(middle, action_kind::receive_forward, 1));
  middle[first].group = middle[first + 1].group = 0;
  CHECK(p.check().broken == rule::none);
}

// The gradient comes only when the activation has arrived: a batch of both waits for itself. As two
// calls it works.
TEST_CASE("a_group_may_not_hold_a_receive_that_needs_its_send") {
  auto p = programs::late(programs::work<bs::one_f_one_b_clamped>(2, 1));
  CHECK(p.check().broken == rule::none);
  auto& l = p.lists.list(0);
  l[find(l, action_kind::send_forward, 0)].group = 0;
  l[find(l, action_kind::receive_backward, 0)].group = 0;
  const bs::fault f = p.check();
  CHECK(f.broken == rule::deadlock);
  CHECK(f.waiting == 2);
}

// PyTorch's static 1F1B list is off by one on the last rank; see golden/README.md.
TEST_CASE("the_known_wrong_lists_are_refused") {
  const auto lists = golden::load("torch_1F1B_");
  REQUIRE(lists.size() == 4);
  for (const auto& g : lists) {
    CAPTURE(g.file);
    auto p = programs::read<bs::placement::loop>(g, 1, 1, false);
    p.links.clear();
    const bs::fault f = p.check();
    CHECK(f.broken == rule::backward_before_forward);
    CHECK(f.rank == g.ranks - 1);
    CHECK(f.slot == 1);
    CHECK(f.micro_batch == 0);
  }
}
