// Whether the executor that judges the contract is itself right: small programs whose verdict can
// be seen by eye, textbook facts, and the peers' own lists, some of which are wrong.
#include "support/brute_force.hpp"

#include "support/golden_programs.hpp"
#include "support/program_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace brute_force;
using backstitch::phase;
using rules = std::set<rule>;

// Sizes and placement; chains of stages.
program frame(std::vector<int> rank_of, int micro_batches, int pipes = 1,
              bool forward_only = false) {
  program p;
  p.stages = static_cast<int>(rank_of.size());
  p.micro_batches = micro_batches;
  p.pipes = pipes;
  p.forward_only = forward_only;
  p.rank_of = std::move(rank_of);
  p.links = program_text::chains(p.stages, pipes, forward_only);
  return p;
}
program lists(program p, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) p.list.push_back(program_text::read_rank(p, text));
  return p;
}
const program one = frame({0}, 1);                     // one rank, one stage
const program chain = frame({0, 1}, 1);                // two ranks, one stage each
const program chain_2 = frame({0, 1}, 2);              // the same with two micro-batches
const program local = frame({0, 0}, 1);                // two stages on one rank
const program evaluation = frame({0, 1}, 2, 1, true);  // forward only
const program both_ways = frame({0, 1, 1, 0}, 2, 2);   // two copies in both directions
const program vee = frame({0, 1, 1, 0}, 2);            // down and up again
const program ring = frame({0, 1, 2, 0}, 3, 1, true);  // the last rank feeds the first one

// Two stages on one rank whose forwards have nothing to do with each other: only the backward of
// one needs the forward of the other.
const program turn = [] {
  program p = frame({0, 0}, 1);
  p.links = {{0, 1, phase::forward, phase::backward}};
  return p;
}();

// Micro-batches 0 .. M-1 of 1F1B with one call per transfer: each receive before its work, each
// send behind it, or joined with the receive that follows it.
program textbook_1f1b(int ranks, int micro_batches, bool grouped) {
  std::vector<int> rank_of;
  for (int r = 0; r < ranks; ++r) rank_of.push_back(r);
  program p = frame(rank_of, micro_batches);
  for (int r = 0; r < ranks; ++r) {
    std::string text;
    const auto f = [&](int m) {
      const std::string s = std::to_string(r), n = std::to_string(m);
      if (r > 0) text += s + "RECV_F" + n + ' ';
      text += s + "F" + n + ' ';
      if (r + 1 < ranks) text += s + "SEND_F" + n + ' ';
    };
    const auto b = [&](int m) {
      const std::string s = std::to_string(r), n = std::to_string(m);
      if (r + 1 < ranks) text += s + "RECV_B" + n + ' ';
      text += s + "B" + n + ' ';
      if (r > 0) text += s + "SEND_B" + n + ' ';
    };
    const int warm_up = std::min(ranks - 1 - r, micro_batches);
    for (int m = 0; m < warm_up; ++m) f(m);
    for (int m = warm_up; m < micro_batches; ++m) {
      f(m);
      b(m - warm_up);
    }
    for (int m = micro_batches - warm_up; m < micro_batches; ++m) b(m);
    p.list.push_back(program_text::read_rank(p, text));
  }
  if (!grouped) return p;
  // Opposite transfers of the steady phase: SEND_F with RECV_B, SEND_B with RECV_F.
  for (int r = 0; r < ranks; ++r) {
    std::vector<action>& list = p.list[static_cast<std::size_t>(r)];
    const int warm_up = std::min(ranks - 1 - r, micro_batches);
    for (std::size_t i = 0; i + 1 < list.size(); ++i) {
      const bool down = list[i].kind == action_kind::send_forward &&
                        list[i + 1].kind == action_kind::receive_backward &&
                        list[i].micro_batch >= warm_up;
      const bool up = list[i].kind == action_kind::send_backward &&
                      list[i + 1].kind == action_kind::receive_forward;
      if (down || up) list[i].group = list[i + 1].group = static_cast<int>(i);
    }
  }
  return p;
}

struct example {
  const char* what;
  program frame;
  std::vector<std::string> texts;
  rules broken;
  int cycle = 0;
  channel_model model = rendezvous;
};

void check_all(const std::vector<example>& examples) {
  for (const example& e : examples) {
    CAPTURE(e.what);
    const program p = lists(e.frame, e.texts);
    const verdict v = judge(p, e.model);
    verdict expected;
    expected.broken = e.broken;
    expected.cycle = e.cycle;
    CHECK_MESSAGE(v.text() == expected.text(), program_text::write(p));
  }
}

}  // namespace

TEST_CASE("valid programs are accepted") {
  std::vector<example> examples{
      {"the shortest", one, {"0F0 0B0"}, {}},
      {"two ranks", chain, {"0F0 0SEND_F0 0RECV_B0 0B0", "1RECV_F0 1F0 1B0 1SEND_B0"}, {}},
      {"split backward",
       chain,
       {"0F0 0SEND_F0 0RECV_B0 0I0 0W0", "1RECV_F0 1F0 1I0 1SEND_B0 1W0"},
       {}},
      {"one rank splits, one does not",
       chain,
       {"0F0 0SEND_F0 0RECV_B0 0B0", "1RECV_F0 1F0 1I0 1W0 1SEND_B0"},
       {}},
      {"updates and releases",
       chain,
       {"0F0 0SEND_F0 0RECV_B0 0B0 0RELEASE0 0UPDATE",
        "1RECV_F0 1F0 1B0 1SEND_B0 1RELEASE0 1UPDATE"},
       {}},
      {"a reduction of one copy waits for nobody",
       chain,
       {"0F0 0SEND_F0 0RECV_B0 0B0 0REDUCE 0UPDATE", "1RECV_F0 1F0 1B0 1SEND_B0 1REDUCE 1UPDATE"},
       {}},
      {"forward only", evaluation, {"0F0 0SEND_F0 0F1 0SEND_F1", "1RECV_F0 1F0 1RECV_F1 1F1"}, {}},
      {"forward only, released",
       evaluation,
       {"0F0 0SEND_F0 0RELEASE0 0F1 0SEND_F1 0RELEASE1",
        "1RECV_F0 1F0 1RELEASE0 1RECV_F1 1F1 1RELEASE1"},
       {}},
      {"a local move has no messages", local, {"0F0 1F0 1B0 0B0"}, {}},
      {"an overlapped pair", frame({0}, 2), {"0F0 0F1;0B0 0B1"}, {}},
      {"pairs between local moves", frame({0, 0}, 2), {"0F0 1F0 0F1 1F1;1B0 0B0 1B1 0B1"}, {}},
      {"pairs of different stages", frame({0, 0}, 2), {"0F0 1F0 1B0 0F1 1F1;0B0 1B1 0B1"}, {}},
      {"the backward of a pair may stand first", frame({0}, 2), {"0F0 0B0;0F1 0B1"}, {}},
      {"a group of one message",
       chain_2,
       {"0F0 0SEND_F0 0F1 0SEND_F1+0RECV_B0 0B0 0RECV_B1 0B1",
        "1RECV_F0 1F0 1B0 1RECV_F1+1SEND_B0 1F1 1B1 1SEND_B1"},
       {}},
      {"copies in both directions, reduced",
       both_ways,
       {"0F0 3RECV_F1 0SEND_F0 3F1 3B1 0RECV_B0 3SEND_B1 0B0 0REDUCE 3REDUCE 0UPDATE 3UPDATE",
        "2F1 2SEND_F1 1RECV_F0 1F0 1B0 1SEND_B0 2RECV_B1 2B1 2REDUCE 1REDUCE 1UPDATE 2UPDATE"},
       {}},
  };
  examples.push_back(
      {"nothing is kept without a backward", frame({0}, 2, 1, true), {"0F0 0F1"}, {}});
  examples.back().frame.caps = {1};
  // As many in flight as allowed, and the pair's forward starts before its backward ends.
  examples.push_back({"caps", frame({0}, 2), {"0F0 0F1;0B0 0B1"}, {}});
  examples.back().frame.caps = {2};
  examples.push_back(
      {"caps until the release", frame({0}, 2), {"0F0 0B0 0RELEASE0 0F1 0B1 0RELEASE1"}, {}});
  examples.back().frame.caps = {1};
  check_all(examples);
}

TEST_CASE("each broken rule is seen, and no other") {
  std::vector<example> examples{
      {"work of a stage elsewhere",
       chain,
       {"0F0 1F0 0SEND_F0 0RECV_B0 0B0", "1RECV_F0 1F0 1B0 1SEND_B0"},
       {rule::foreign_action}},
      {"work of no stage", one, {"0F0 0B0 1F0"}, {rule::foreign_action}},
      {"work of no micro-batch", one, {"0F0 0B0 0F1"}, {rule::foreign_action}},
      {"work of the other copy's micro-batch",
       both_ways,
       {"0F0 3RECV_F1 0SEND_F0 3F1 3B1 0RECV_B0 3SEND_B1 0B0 0F1",
        "2F1 2SEND_F1 1RECV_F0 1F0 1B0 1SEND_B0 2RECV_B1 2B1"},
       {rule::foreign_action}},
      {"a message on no link",
       chain,
       {"0F0 0SEND_F0 0SEND_F0@9 0RECV_B0 0B0", "1RECV_F0 1F0 1B0 1SEND_B0"},
       {rule::foreign_action}},
      {"a message on a link of the other phase",
       chain,
       {"0F0 0SEND_F0 0SEND_F0@1 0RECV_B0 0B0", "1RECV_F0 1F0 1B0 1SEND_B0"},
       {rule::foreign_action}},
      {"an activation on another stage's link",
       frame({0, 1, 2}, 1),
       {"0F0 0SEND_F0 0SEND_F0@2 0RECV_B0 0B0", "1RECV_F0 1F0 1SEND_F0@2 1RECV_B0@3 1B0 1SEND_B0@1",
        "2RECV_F0 2F0 2B0 2SEND_B0"},
       {rule::foreign_action}},
      {"a message on a local move", local, {"0F0 0SEND_F0 1F0 1B0 0B0"}, {rule::foreign_action}},
      {"a backward in a forward-only program",
       evaluation,
       {"0F0 0SEND_F0 0F1 0SEND_F1 0B1", "1RECV_F0 1F0 1RECV_F1 1F1"},
       {rule::foreign_action}},
      {"an update in a forward-only program",
       frame({0}, 1, 1, true),
       {"0F0 0UPDATE"},
       {rule::foreign_action, rule::update_missing}},
      {"work again", one, {"0F0 0F0 0B0"}, {rule::work_done_twice}},
      {"B again", one, {"0F0 0B0 0B0"}, {rule::work_done_twice}},
      {"I again", one, {"0F0 0I0 0I0 0W0"}, {rule::work_done_twice}},
      {"W again", one, {"0F0 0I0 0W0 0W0"}, {rule::work_done_twice}},
      {"a send again",
       chain,
       {"0F0 0SEND_F0 0RECV_B0 0SEND_F0 0B0", "1RECV_F0 1F0 1B0 1SEND_B0"},
       {rule::work_done_twice}},
      {"a receive again",
       chain,
       {"0F0 0SEND_F0 0RECV_B0 0B0", "1RECV_F0 1F0 1B0 1SEND_B0 1RECV_F0"},
       {rule::work_done_twice}},
      {"a release again", one, {"0F0 0B0 0RELEASE0 0RELEASE0"}, {rule::work_done_twice}},
      {"an update again", one, {"0F0 0B0 0UPDATE 0UPDATE"}, {rule::work_done_twice}},
      {"a reduction again, under another copy's name",
       frame({0, 0}, 2, 2),
       {"0F0 0B0 1F1 1B1 0REDUCE 1REDUCE"},
       {rule::work_done_twice}},
      {"I behind B", one, {"0F0 0B0 0I0"}, {rule::mixed_backward}},
      {"B behind I and W", one, {"0F0 0I0 0W0 0B0"}, {rule::mixed_backward}},
      {"B behind I alone", one, {"0F0 0I0 0B0"}, {rule::mixed_backward}},
      {"W behind B", one, {"0F0 0B0 0W0"}, {rule::mixed_backward, rule::weight_before_input}},
      {"update without B", one, {"0F0 0UPDATE"}, {rule::work_missing, rule::update_too_early}},
      {"release without W",
       one,
       {"0F0 0I0 0RELEASE0"},
       {rule::work_missing, rule::released_too_early}},
      {"no work at all", one, {""}, {rule::work_missing}},
      {"no W", one, {"0F0 0I0"}, {rule::work_missing}},
      {"B first", one, {"0B0 0F0"}, {rule::backward_before_forward}},
      {"B of a pair with its own F", one, {"0F0;0B0"}, {rule::backward_before_forward}},
      {"W before I", one, {"0F0 0W0 0I0"}, {rule::weight_before_input}},
      {"work and message as one",
       chain,
       {"0F0+0SEND_F0 0RECV_B0 0B0", "1RECV_F0 1F0 1B0 1SEND_B0"},
       {rule::bad_group}},
      {"two forwards as one", frame({0}, 2), {"0F0;0F1 0B0 0B1"}, {rule::bad_group}},
      {"three works as one", frame({0}, 2), {"0F0 0F1;0I0;0W0 0B1"}, {rule::bad_group}},
      {"F and W as one", frame({0}, 2), {"0F0 0I0 0F1;0W0 0B1"}, {rule::bad_group}},
      {"releases as one",
       frame({0}, 2),
       {"0F0 0F1 0B0 0B1 0RELEASE0+0RELEASE1"},
       {rule::bad_group}},
      {"an activation too late",
       chain,
       {"0F0 0SEND_F0 0RECV_B0 0B0", "1F0 1RECV_F0 1B0 1SEND_B0"},
       {rule::received_too_late}},
      {"a gradient too late",
       chain,
       {"0F0 0SEND_F0 0I0 0RECV_B0 0W0", "1RECV_F0 1F0 1B0 1SEND_B0"},
       {rule::received_too_late}},
      {"a pair before its receive",
       chain_2,
       {"0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B0 0B0 0RECV_B1 0B1",
        "1RECV_F0 1F0 1F1;1B0 1RECV_F1 1SEND_B0 1B1 1SEND_B1"},
       {rule::received_too_late}},
      {"an activation sent too early",
       chain,
       {"0SEND_F0 0F0 0RECV_B0 0B0", "1RECV_F0 1F0 1B0 1SEND_B0"},
       {rule::sent_too_early}},
      {"a gradient sent too early",
       chain,
       {"0F0 0SEND_F0 0RECV_B0 0B0", "1RECV_F0 1F0 1SEND_B0 1B0"},
       {rule::sent_too_early}},
      {"a send is missing",
       chain,
       {"0F0 0RECV_B0 0B0", "1RECV_F0 1F0 1B0 1SEND_B0"},
       {rule::message_missing}},
      {"a receive that nothing waits for is missing",
       chain,
       {"0F0 0SEND_F0 0B0", "1RECV_F0 1F0 1B0 1SEND_B0"},
       {rule::message_missing, rule::received_too_late}},
      {"one stage has no update",
       chain,
       {"0F0 0SEND_F0 0RECV_B0 0B0 0UPDATE", "1RECV_F0 1F0 1B0 1SEND_B0"},
       {rule::update_missing}},
      {"update before B", one, {"0F0 0UPDATE 0B0"}, {rule::update_too_early}},
      {"update before W", one, {"0F0 0I0 0UPDATE 0W0"}, {rule::update_too_early}},
      {"update before the reduction", one, {"0F0 0B0 0UPDATE 0REDUCE"}, {rule::update_too_early}},
      {"copies updated without a reduction",
       frame({0, 0}, 2, 2),
       {"0F0 0B0 1F1 1B1 0UPDATE 1UPDATE"},
       {rule::reduce_missing}},
      {"one stage has no reduction",
       chain,
       {"0F0 0SEND_F0 0RECV_B0 0B0 0REDUCE", "1RECV_F0 1F0 1B0 1SEND_B0"},
       {rule::reduce_missing}},
      {"reduction before the other copy's last B",
       frame({0, 0}, 2, 2),
       {"0F0 0B0 1F1 0REDUCE 1B1"},
       {rule::reduce_too_early}},
      {"one release is missing",
       frame({0}, 2),
       {"0F0 0B0 0RELEASE0 0F1 0B1"},
       {rule::release_missing}},
      {"release before W", one, {"0F0 0I0 0RELEASE0 0W0"}, {rule::released_too_early}},
      {"release before the send",
       chain,
       {"0F0 0SEND_F0 0RECV_B0 0B0 0RELEASE0", "1RECV_F0 1F0 1B0 1RELEASE0 1SEND_B0"},
       {rule::released_too_early}},
      {"a local move backwards", local, {"1F0 0F0 1B0 0B0"}, {rule::deadlock}, 1},
      {"a local move out of order behind a pair",
       frame({0, 0}, 2),
       {"0F0 1F0 0F1 1B0 1F1;0B0 0B1 1B1"},
       {rule::deadlock},
       1},
      {"a pair that is both ends of a local move",
       frame({0, 0}, 1),
       {"0F0 1F0;1B0 0B0"},
       {rule::backward_before_forward}},
      {"a pair whose forward its backward needs", turn, {"1F0 0F0;1B0 0B0"}, {rule::deadlock}, 1},
  };
  // Over the cap by one.
  examples.push_back({"memory", frame({0}, 2), {"0F0 0F1 0B0 0B1"}, {rule::too_many_in_flight}});
  examples.back().frame.caps = {1};
  examples.push_back(
      {"memory held by W", frame({0}, 2), {"0F0 0I0 0F1 0W0 0B1"}, {rule::too_many_in_flight}});
  examples.back().frame.caps = {1};
  examples.push_back({"memory held until the release",
                      frame({0}, 2),
                      {"0F0 0B0 0F1 0RELEASE0 0B1 0RELEASE1"},
                      {rule::too_many_in_flight}});
  examples.back().frame.caps = {1};
  examples.push_back({"memory of a pair, backward first",
                      frame({0}, 2),
                      {"0F0 0B0;0F1 0B1"},
                      {rule::too_many_in_flight}});
  examples.back().frame.caps = {1};
  examples.push_back(
      {"memory of a pair", frame({0}, 2), {"0F0 0F1;0B0 0B1"}, {rule::too_many_in_flight}});
  examples.back().frame.caps = {1};
  check_all(examples);

  program alone = lists(one, {"0F0 0B0"});
  alone.list[0][1].group = 3;
  CHECK(judge(alone, rendezvous).broken == rules{rule::bad_group});
}

TEST_CASE("ranks that wait for each other are seen under each channel model") {
  // Both send first.
  const program crossed = lists(both_ways, {"0F0 0SEND_F0 3RECV_F1 3F1 3B1 3SEND_B1 0RECV_B0 0B0",
                                            "2F1 2SEND_F1 1RECV_F0 1F0 1B0 1SEND_B0 2RECV_B1 2B1"});
  CHECK(judge(crossed, rendezvous).cycle == 2);
  CHECK(judge(crossed, buffered_1).accepted());

  // The send of the group is what its own receive waits for.
  const program joined = lists(chain, {"0F0 0SEND_F0+0RECV_B0 0B0", "1RECV_F0 1F0 1B0 1SEND_B0"});
  CHECK(judge(joined, rendezvous).text() == "deadlock(2)");
  CHECK(judge(joined, buffered_1).accepted());
  CHECK(judge(joined, tagged).accepted());

  // Each rank sends on while nobody receives.
  const program circle =
      lists(ring, {"0F0 0SEND_F0 0F1 0SEND_F1 0F2 0SEND_F2 3RECV_F0 3F0 3RECV_F1 "
                   "3F1 3RECV_F2 3F2",
                   "1RECV_F0 1F0 1SEND_F0 1RECV_F1 1F1 1SEND_F1 1RECV_F2 1F2 "
                   "1SEND_F2",
                   "2RECV_F0 2F0 2SEND_F0 2RECV_F1 2F1 2SEND_F1 2RECV_F2 2F2 "
                   "2SEND_F2"});
  CHECK(judge(circle, rendezvous).text() == "deadlock(3)");
  CHECK(judge(circle, buffered_1).accepted());

  // Rank 0's send is met, but the batch that it belongs to is not: the cycle goes through it.
  program through = frame({0, 2, 1}, 1, 1, true);
  through.links = {{0, 2, phase::forward, phase::forward},
                   {0, 1, phase::forward, phase::forward},
                   {1, 2, phase::forward, phase::forward}};
  const std::vector<std::string> batch{"0F0 0SEND_F0@0 0SEND_F0@1", "2RECV_F0@0+2RECV_F0@2 2F0",
                                       "1RECV_F0@1 1F0 1SEND_F0@2"};
  CHECK(judge(lists(through, batch), rendezvous).text() == "deadlock(3)");
  CHECK(judge(lists(through, batch), buffered_1).accepted());
  std::vector<std::string> one_by_one = batch;
  one_by_one[1] = "2RECV_F0@0 2RECV_F0@2 2F0";
  CHECK(judge(lists(through, one_by_one), rendezvous).accepted());

  // Four micro-batches go down before any comes back: one slot is too few, two are enough.
  const program deep =
      lists(frame({0, 1}, 4),
            {"0F0 0SEND_F0 0F1 0SEND_F1 0F2 0SEND_F2 0F3 0SEND_F3 "
             "0RECV_B0 0B0 0RECV_B1 0B1 0RECV_B2 0B2 0RECV_B3 0B3",
             "1RECV_F0 1F0 1B0 1SEND_B0 1RECV_F1 1F1 1B1 1SEND_B1 1RECV_F2 1F2 1B2 1SEND_B2 "
             "1RECV_F3 1F3 1B3 1SEND_B3"});
  CHECK(judge(deep, buffered_1).text() == "deadlock(2)");
  CHECK(judge(deep, buffered_2).accepted());

  // Nobody may stand at the other's reduction.
  const program reductions =
      lists(both_ways, {"0F0 3RECV_F1 0SEND_F0 3F1 3B1 0RECV_B0 3SEND_B1 0B0 0REDUCE 3REDUCE",
                        "2F1 2SEND_F1 1RECV_F0 1F0 1B0 1SEND_B0 2RECV_B1 2B1 1REDUCE 2REDUCE"});
  for (const channel_model& m : {rendezvous, buffered_1, buffered_2, tagged}) {
    CHECK(judge(reductions, m).text() == "deadlock(2)");
  }
}

TEST_CASE("channels without tags hand messages over in order") {
  const std::string sender = "0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B0 0B0 0RECV_B1 0B1";
  const program swapped =
      lists(chain_2, {sender, "1RECV_F1 1RECV_F0 1F0 1F1 1B0 1SEND_B0 1B1 1SEND_B1"});
  CHECK(judge(swapped, rendezvous).text() == "deadlock(2)");
  CHECK(judge(swapped, buffered_1).text() == "deadlock(2)");
  CHECK(judge(swapped, buffered_2).accepted());
  CHECK(judge(swapped, tagged).accepted());
  CHECK(judge(swapped, fifo_per_rank_pair).text() == "message_order");
  CHECK(judge(swapped, fifo_per_directed_pair).text() == "message_order");
  CHECK(judge(swapped, fifo_per_direction_kind).text() == "message_order");

  // An activation and a gradient overtake each other on the way from rank 1 to rank 0.
  const program kinds = lists(
      vee,
      {"0F0 0SEND_F0 0F1 0SEND_F1 3RECV_F0 3F0 3B0 3SEND_B0 0RECV_B0 3RECV_F1 3F1 3B1 3SEND_B1 "
       "0B0 0RECV_B1 0B1",
       "1RECV_F0 1F0 2F0 2SEND_F0 1RECV_F1 1F1 2F1 2RECV_B0 2B0 2SEND_F1 1B0 1SEND_B0 2RECV_B1 "
       "2B1 1B1 1SEND_B1"});
  CHECK(judge(kinds, tagged).accepted());
  CHECK(judge(kinds, fifo_per_direction_kind).accepted());
  CHECK(judge(kinds, fifo_per_directed_pair).text() == "message_order");
  CHECK(judge(kinds, fifo_per_rank_pair).text() == "message_order");

  // Opposite directions need one order only where they share a queue, and not within a group.
  const std::vector<std::string> steady{"0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B0 0B0 0RECV_B1 0B1",
                                        "1RECV_F0 1F0 1B0 1SEND_B0 1RECV_F1 1F1 1B1 1SEND_B1"};
  CHECK(judge(lists(chain_2, steady), fifo_per_directed_pair).accepted());
  CHECK(judge(lists(chain_2, steady), fifo_per_rank_pair).text() == "message_order");
  const std::vector<std::string> grouped{"0F0 0SEND_F0 0F1 0SEND_F1+0RECV_B0 0B0 0RECV_B1 0B1",
                                         "1RECV_F0 1F0 1B0 1SEND_B0+1RECV_F1 1F1 1B1 1SEND_B1"};
  CHECK(judge(lists(chain_2, grouped), fifo_per_rank_pair).accepted());
  // One end's group is enough: it matches the other end's single messages in either order.
  const std::vector<std::string> half{grouped[0], steady[1]};
  CHECK(judge(lists(chain_2, half), fifo_per_rank_pair).accepted());
}

TEST_CASE("1F1B with one call per transfer deadlocks under rendezvous, and not otherwise") {
  for (int ranks = 2; ranks <= 5; ++ranks) {
    for (int micro_batches = 2; micro_batches <= 7; ++micro_batches) {
      CAPTURE(ranks);
      CAPTURE(micro_batches);
      const program single = textbook_1f1b(ranks, micro_batches, false);
      REQUIRE(judge_lists(single).accepted());
      CHECK(judge(single, rendezvous).text() == "deadlock(2)");
      CHECK(judge(single, buffered_1).accepted());
      // Grouping is for whole steady phases: with fewer micro-batches than ranks there are none.
      if (micro_batches < ranks) continue;
      CHECK(judge(textbook_1f1b(ranks, micro_batches, true), rendezvous).accepted());
    }
  }
}

TEST_CASE("the peers' lowered lists get the verdicts that are known of them") {
  // Columns: file, rendezvous, rank pair, directed pair, direction and kind. Cells with commas are
  // in quotes.
  std::ifstream in(BACKSTITCH_TEST_DIR "/golden/COMM_RENDEZVOUS.csv");
  REQUIRE(in.good());
  std::string line;
  std::getline(in, line);
  int files = 0, deadlocks = 0, mismatches = 0;
  std::set<std::string> judged;
  while (std::getline(in, line)) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == ',' && !quoted) {
        cells.emplace_back();
      } else if (c != '"' && c != '\r') {
        cells.back() += c;
      }
    }
    REQUIRE(cells.size() == 5);
    CAPTURE(cells[0]);
    judged.insert(cells[0]);
    ++files;
    const program p = golden_programs::read(cells[0]);
    CHECK(judge_lists(p).text() == "accepted");
    CHECK(judge(p, tagged).accepted());
    const bool stops = cells[1].rfind("DEADLOCK", 0) == 0;
    CHECK((stops || cells[1] == "ok"));
    const verdict v = judge(p, rendezvous);
    CHECK(v.broken == (stops ? rules{rule::deadlock} : rules{}));
    deadlocks += stops ? 1 : 0;
    const channel_model fifo[] = {fifo_per_rank_pair, fifo_per_directed_pair,
                                  fifo_per_direction_kind};
    for (std::size_t i = 0; i < 3; ++i) {
      const bool wrong = cells[i + 2].rfind("MISMATCH", 0) == 0;
      CHECK((wrong || cells[i + 2] == "ok"));
      CHECK(judge(p, fifo[i]).broken == (wrong ? rules{rule::message_order} : rules{}));
      mismatches += wrong ? 1 : 0;
    }
    // Each rank sends on to the next one and the last one to the first; or, where the stages stand
    // in a V, the last two to each other.
    if (cells[0] == "torch_Interleaved1F1B_r4_v2_m4.comms_deferrecv.csv") CHECK(v.cycle == 4);
    if (cells[0] == "torch_DualPipeV_r4_v2_m8.comms_deferrecv.csv") CHECK(v.cycle == 2);
    CHECK(stops == (cells[0].find("deferrecv") != std::string::npos));
  }
  CHECK(files == 118);
  CHECK(deadlocks == 26);
  CHECK(mismatches == 31);
  // No file is left out.
  for (const std::string& name : golden_programs::with_messages()) {
    CHECK_MESSAGE(judged.count(name) == 1, name);
  }
}

TEST_CASE("the list with micro-batches 1 to M on the last rank is refused") {
  for (const char* sizes : {"r2_v1_m2", "r2_v1_m4", "r4_v1_m4", "r4_v1_m8"}) {
    CAPTURE(sizes);
    const program wrong = golden_programs::read(std::string("torch_1F1B_") + sizes + ".csv");
    const verdict v = judge_lists(wrong);
    CHECK(v.broken.count(rule::foreign_action) == 1);  // micro-batch M
    CHECK(v.broken.count(rule::work_missing) == 1);    // micro-batch 0
    // Its own last rank apart, and the other file of the same schedule, it would do.
    const program right =
        golden_programs::read(std::string("torchrt_1F1B_") + sizes + ".comms.csv");
    CHECK(judge(right, rendezvous).accepted());
    for (const program* p : {&wrong, &right}) {
      bool foreign = false;
      for (const action& a : p->list.back()) foreign = foreign || a.micro_batch == p->micro_batches;
      CHECK(foreign == (p == &wrong));
    }
  }
}
