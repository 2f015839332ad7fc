// The proof of messages under blocking sends: what it must refuse, what it must accept, and random
// programs against an executor that shares no code with it.
#include "backstitch/analysis/messages.hpp"

#include "backstitch/analysis/schedule.hpp"
#include "backstitch/schedule/lower.hpp"
#include "backstitch/schedule/policies/f_then_b.hpp"
#include "backstitch/schedule/policies/one_f_one_b.hpp"

#include "support/links.hpp"
#include "support/tables.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace bs = backstitch;

namespace {

using bs::action_kind;
using bs::message_rule;
using tables::list;
using lists = std::vector<list>;

constexpr int max_ranks = 8;
constexpr int max_micro_batches = 16;
constexpr int capacity = 300;  // of every table here
using table_sizes = std::make_integer_sequence<int, max_ranks * max_micro_batches>;

// The library takes sizes at compile time. These take them at run time, so that each is compiled
// once per size and not once per use.
template <class Program>
struct at_sizes {
  template <class Function, int... Is>
  static constexpr auto all(std::integer_sequence<int, Is...>) {
    return std::array<Function, sizeof...(Is)>{
        &Program::template run<Is / max_micro_batches + 1, Is % max_micro_batches + 1>...};
  }
  template <class... Args>
  static auto call(int ranks, int micro_batches, const Args&... args) {
    using function = decltype(&Program::template run<1, 1>);
    static constexpr auto functions = all<function>(table_sizes{});
    return functions.at(
        static_cast<std::size_t>((ranks - 1) * max_micro_batches + micro_batches - 1))(args...);
  }
};

struct proof {
  template <int R, int M>
  static bs::message_fault run(const lists& ranks, const links::table& l) {
    return bs::prove_messages<R, M>(tables::table_of<R, capacity>(ranks), l);
  }
};
bs::message_fault prove(const lists& ranks, const links::table& l, int micro_batches) {
  return at_sizes<proof>::call(static_cast<int>(ranks.size()), micro_batches, ranks, l);
}
message_rule verdict(const lists& ranks, const links::table& l, int micro_batches) {
  return prove(ranks, l, micro_batches).rule;
}

template <class Policy>
lists compute_order(int ranks, int micro_batches) {
  lists all;
  for (int r = 0; r < ranks; ++r) all.push_back(tables::generate<Policy>(ranks, micro_batches, r));
  return all;
}

struct together {
  template <int R, int M>
  static lists run(const lists& compute, const links::table& l) {
    constexpr int places = 2 * max_micro_batches;
    return tables::lists_of(
        bs::lower_together<capacity, R, M>(tables::table_of<R, places>(compute), l));
  }
};
template <class Policy>
lists lower_together(int ranks, int micro_batches, const links::table& l) {
  return at_sizes<together>::call(ranks, micro_batches, compute_order<Policy>(ranks, micro_batches),
                                  l);
}

template <class Policy>
lists lower_late(int ranks, int micro_batches, const links::table& l) {
  lists lowered;
  tables::for_sizes<1, max_ranks>([&]<int R>() {
    if (R != ranks) return;
    const auto compute = tables::fill<Policy, R, 2 * max_micro_batches>(micro_batches);
    lowered = tables::lists_of(bs::lower_late<capacity, R>(compute, l, micro_batches));
  });
  return lowered;
}

// Every message by itself: one blocking call after the other, as plain MPI code would do it.
lists ungrouped(lists ranks) {
  for (list& actions : ranks) {
    int group = 0;
    for (bs::action& a : actions) {
      if (tables::is_message(a)) a.group = group++;
    }
  }
  return ranks;
}

// All messages between two ops start together.
lists fully_grouped(lists ranks) {
  for (list& actions : ranks) {
    for (std::size_t i = 1; i < actions.size(); ++i) {
      if (tables::is_message(actions[i]) && tables::is_message(actions[i - 1])) {
        actions[i].group = actions[i - 1].group;
      }
    }
  }
  return ranks;
}

}  // namespace

// -- whole schedules ------------------------------------------------------------------------------

TEST_CASE("textbook_1f1b_needs_its_groups") {
  for (int R = 2; R <= 6; ++R) {
    for (int M = 1; M <= max_micro_batches; ++M) {
      CAPTURE(R);
      CAPTURE(M);
      const auto l = links::chain(R);
      const lists late = lower_late<bs::one_f_one_b_clamped>(R, M, l);
      CHECK(verdict(late, l, M) == message_rule::none);
      // Real MPI hangs here, too. One micro-batch never goes both ways at once.
      CHECK(verdict(ungrouped(late), l, M) ==
            (M >= 2 ? message_rule::deadlock : message_rule::none));
      // F-then-B turns around when nothing is under way any more.
      const lists gpipe = lower_late<bs::f_then_b>(R, M, l);
      CHECK(verdict(gpipe, l, M) == message_rule::none);
      CHECK(verdict(ungrouped(gpipe), l, M) == message_rule::none);
    }
  }
}

TEST_CASE_TEMPLATE("lower_together_needs_no_groups_whatever_the_links", Policy, bs::f_then_b,
                   bs::one_f_one_b_clamped) {
  for (int R = 2; R <= max_ranks; ++R) {
    for (int M = 1; M <= max_micro_batches; ++M) {
      CAPTURE(R);
      CAPTURE(M);
      for (const auto& l : {links::chain(R), links::chain_and_skip(R), links::dense(R)}) {
        const lists lowered = lower_together<Policy>(R, M, l);
        CHECK(lowered == ungrouped(lowered));
        CHECK(verdict(lowered, l, M) == message_rule::none);
      }
    }
  }
}

// Whether late receives survive a skip link depends on what starts together: with all that stands
// between two ops in one group they always do. Else they may wait for ever, but never mismatch.
TEST_CASE_TEMPLATE("late_receives_with_a_skip_link", Policy, bs::f_then_b,
                   bs::one_f_one_b_clamped) {
  std::string valid;
  for (int R = 2; R <= max_ranks; ++R) {
    for (int M = 1; M <= max_micro_batches; ++M) {
      CAPTURE(R);
      CAPTURE(M);
      const auto l = links::chain_and_skip(R);
      const lists late = lower_late<Policy>(R, M, l);
      const message_rule as_lowered = verdict(late, l, M);
      CHECK(as_lowered != message_rule::unmatched);
      if (as_lowered == message_rule::none) {
        valid += " R" + std::to_string(R) + "M" + std::to_string(M);
      }
      CHECK(verdict(fully_grouped(late), l, M) == message_rule::none);
    }
  }
  MESSAGE("late receives valid as lowered:" << (valid.empty() ? " none" : valid));
}

// The compile-time proof works in slices; their seams must not show.
TEST_CASE("a_proof_in_slices_is_the_whole_proof") {
  constexpr int R = 2, M = 1200;
  using policy = bs::one_f_one_b;
  using chain = bs::detail::chain<R>;
  using sliced =
      bs::detail::sliced_proof<bs::detail::lowering<true, policy, R, M, chain>, R, M, chain>;
  constexpr int messages = 2 * 2 * M;  // per rank
  static_assert(R * (messages + 2 * M) > sliced::slice_budget);
  static_assert(bs::detail::messages_v<true, policy, R, M, chain>.rule == message_rule::none);

  constexpr int places = bs::detail::capacity_v<policy, R, M, chain>;
  auto t = bs::lower_late<places, R>(tables::fill<policy, R, 2 * M>(M), chain::value, M);
  CHECK(bs::prove_messages<R, M>(t, chain::value).rule == message_rule::none);
  // Rank 1 sends its last gradient before it has it: found at the same slot wherever the seams are.
  std::swap(t.list[1][t.count[1] - 2], t.list[1][t.count[1] - 3]);
  for (const int budget : {1, 2, 3, 7, 64, 1000, 1 << 30}) {
    CAPTURE(budget);
    bs::detail::rendezvous<R, M, decltype(t), decltype(chain::value)::capacity> run(chain::value);
    while (!run.finished()) run.run(t, chain::value, budget);
    CHECK(run.fault().rule == message_rule::unmatched);
    CHECK(run.fault().rank == 1);
    CHECK(run.fault().slot == t.count[1] - 3);
    CHECK(run.fault().micro_batch == M - 1);
  }
}

// -- broken by hand -------------------------------------------------------------------------------

namespace {

// 1F1B on two ranks with two micro-batches:
//   0F0,0SEND_F0,0F1,0SEND_F1+0RECV_B0,0B0,0RECV_B1,0B1,0OPT_STEP
//   1RECV_F0,1F0,1B0,1SEND_B0+1RECV_F1,1F1,1B1,1SEND_B1,1OPT_STEP
struct broken {
  links::table l = links::chain(2);
  lists ranks = lower_late<bs::one_f_one_b>(2, 2, l);

  list& operator[](int rank) { return ranks[static_cast<std::size_t>(rank)]; }
  bs::action& at(int rank, int slot) { return (*this)[rank].at(static_cast<std::size_t>(slot)); }
  void drop(int rank, int slot) { (*this)[rank].erase((*this)[rank].begin() + slot); }
  void repeat(int rank, int slot, int group) {
    bs::action again = at(rank, slot);
    again.group = group;
    (*this)[rank].insert((*this)[rank].begin() + slot + 1, again);
  }
  void swap(int rank, int a, int b) { std::swap(at(rank, a), at(rank, b)); }

  void check(message_rule rule, int rank, int slot, int stage, int micro_batch) const {
    const bs::message_fault got = prove(ranks, l, 2);
    CHECK(got.rule == rule);
    CHECK(got.rank == rank);
    CHECK(got.slot == slot);
    CHECK(got.stage == stage);
    CHECK(got.micro_batch == micro_batch);
  }
};

}  // namespace

TEST_CASE("the_program_to_be_broken_is_right") {
  broken p;
  CHECK(tables::text(p[0]) == "0F0,0SEND_F0,0F1,0SEND_F1+0RECV_B0,0B0,0RECV_B1,0B1,0OPT_STEP");
  CHECK(tables::text(p[1]) == "1RECV_F0,1F0,1B0,1SEND_B0+1RECV_F1,1F1,1B1,1SEND_B1,1OPT_STEP");
  p.check(message_rule::none, 0, 0, 0, 0);
}

// A rank that waits for ever is a deadlock; the first one is named.
TEST_CASE("a_dropped_send") {
  broken p;
  p.drop(0, 1);
  p.check(message_rule::deadlock, 0, 3, 0, 0);  // in the group with RECV_B0

  broken last;
  last.drop(1, 7);
  last.check(message_rule::deadlock, 0, 6, 0, 1);
}

// The op would read a value that has not come.
TEST_CASE("a_dropped_receive") {
  broken p;
  p.drop(1, 0);
  p.check(message_rule::unmatched, 1, 0, 1, 0);

  broken in_group;
  in_group.drop(1, 4);
  in_group.check(message_rule::unmatched, 1, 4, 1, 1);
}

TEST_CASE("a_message_dropped_on_both_ends") {
  broken p;
  p.drop(0, 1);
  p.drop(1, 0);
  p.check(message_rule::unmatched, 1, 0, 1, 0);
}

TEST_CASE("a_doubled_send_or_receive") {
  broken p;
  p.repeat(0, 1, 99);
  p.check(message_rule::unmatched, 0, 2, 0, 0);

  broken receive;
  receive.repeat(1, 0, 99);
  receive.check(message_rule::unmatched, 1, 1, 1, 0);
}

// The group is stepped over as a whole: the fault is still at the member that does not belong.
TEST_CASE("a_fault_inside_a_group_is_named_at_its_own_slot") {
  broken p;
  p.repeat(1, 0, p.at(1, 0).group);
  p.check(message_rule::unmatched, 1, 1, 1, 0);

  broken later;
  later.at(0, 4).micro_batch = 2;
  later.check(message_rule::unmatched, 0, 4, 0, 2);
}

TEST_CASE("swapped_micro_batches") {
  broken p;
  std::swap(p.at(1, 0).micro_batch, p.at(1, 4).micro_batch);
  p.check(message_rule::deadlock, 0, 1, 0, 0);
  // On both ends alike: the values then come after the ops.
  std::swap(p.at(0, 1).micro_batch, p.at(0, 3).micro_batch);
  p.check(message_rule::unmatched, 0, 1, 0, 1);
}

TEST_CASE("a_receive_after_its_consumer") {
  broken p;
  p.swap(1, 0, 1);
  p.check(message_rule::unmatched, 1, 0, 1, 0);
}

TEST_CASE("a_send_before_its_producer") {
  broken p;
  p.swap(0, 0, 1);
  p.check(message_rule::unmatched, 0, 0, 0, 0);
}

TEST_CASE("a_wrong_link") {
  for (const int link : {-1, 1, 2, 1000}) {
    CAPTURE(link);
    broken p;
    p.at(0, 1).link = link;
    p.check(message_rule::unmatched, 0, 1, 0, 0);
  }
  // A link of the same kind between two other ranks.
  const auto l = links::chain(3);
  lists three = lower_late<bs::one_f_one_b>(3, 3, l);
  REQUIRE(three[0][1].kind == action_kind::send_forward);
  three[0][1].link = 2;
  const bs::message_fault got = prove(three, l, 3);
  CHECK(got.rule == message_rule::unmatched);
  CHECK(got.rank == 0);
  CHECK(got.slot == 1);
}

// Rank 2 takes what stage 0 made for the backward of stage 1: the two ends meet, on a wrong rank.
TEST_CASE("a_message_on_a_wrong_rank") {
  auto l = links::chain(3);
  const int stash = l.count++;
  l.at[stash] = {0, 1, bs::phase::forward, bs::phase::backward};
  lists ranks = lower_together<bs::one_f_one_b>(3, 3, l);
  REQUIRE(verdict(ranks, l, 3) == message_rule::none);
  const auto found = std::find_if(ranks[1].begin(), ranks[1].end(),
                                  [&](const bs::action& a) { return a.link == stash; });
  REQUIRE(found != ranks[1].end());
  bs::action moved = *found;
  moved.group = 1000;
  ranks[1].erase(found);
  ranks[2].insert(ranks[2].begin(), moved);
  const bs::message_fault got = prove(ranks, l, 3);
  CHECK(got.rule == message_rule::unmatched);
  CHECK(got.rank == 2);
  CHECK(got.slot == 0);
  CHECK(got.stage == 1);
}

// Nothing waits and nothing is out of place, yet the messages have not been sent.
TEST_CASE("a_program_that_stops_short") {
  const lists ranks{{tables::forward(0, 0)}, {}};
  CHECK(verdict(ranks, links::chain(2), 1) == message_rule::unmatched);
}

TEST_CASE("a_wrong_kind") {
  for (const action_kind kind :
       {action_kind::receive_forward, action_kind::send_backward, action_kind::receive_backward}) {
    CAPTURE(bs::action_name(kind));
    broken p;
    p.at(0, 1).kind = kind;
    p.check(message_rule::unmatched, 0, 1, 0, 0);
  }
}

TEST_CASE("a_micro_batch_that_does_not_exist") {
  for (const int m : {-1, 2}) {
    broken p;
    p.at(0, 1).micro_batch = m;
    p.check(message_rule::unmatched, 0, 1, 0, m);
  }
}

// -- random programs against a brute-force executor -----------------------------------------------

namespace {

// Whether a program runs to its end, by the plain meaning of the words. First, by position in the
// lists: each message has one end on each of its two ranks, after its producer and before its
// consumer. Then by sweeping over the ranks until nothing moves: a rank offers all messages of a
// group and goes on when each one's other end has been offered.
class executor {
 public:
  executor(const lists& ranks, const links::table& l, int micro_batches)
      : ranks_(ranks), links_(l), micro_batches_(micro_batches) {}

  bool runs() { return every_end_is_in_place() && nobody_waits_for_ever(); }

 private:
  using message = std::tuple<int, int, bool>;  // link, micro-batch, whether it is the send
  const lists& ranks_;
  const links::table& links_;
  const int micro_batches_;

  static bool sends(action_kind k) {
    return k == action_kind::send_forward || k == action_kind::send_backward;
  }
  static message end_of(const bs::action& a) { return {a.link, a.micro_batch, sends(a.kind)}; }
  static message other_end_of(const bs::action& a) {
    return {a.link, a.micro_batch, !sends(a.kind)};
  }
  static action_kind work(bs::phase p) {
    return p == bs::phase::forward ? action_kind::forward : action_kind::backward;
  }

  bool every_end_is_in_place() const {
    std::map<message, std::pair<int, int>> where;  // rank, slot
    std::map<std::tuple<action_kind, int, int>, std::pair<int, int>>
        op;  // kind, stage, micro-batch
    int total = 0;
    for (int r = 0; r < static_cast<int>(ranks_.size()); ++r) {
      const list& actions = ranks_[static_cast<std::size_t>(r)];
      for (int i = 0; i < static_cast<int>(actions.size()); ++i) {
        const bs::action& a = actions[static_cast<std::size_t>(i)];
        if (!tables::is_message(a)) {
          op[{a.kind, a.stage, a.micro_batch}] = {r, i};
          continue;
        }
        if (a.link < 0 || a.link >= links_.count) return false;
        const bool forward =
            a.kind == action_kind::send_forward || a.kind == action_kind::receive_forward;
        if (forward != (links_.at[a.link].made == bs::phase::forward)) return false;
        where[end_of(a)] = {r, i};
        ++total;
      }
    }
    if (total != 2 * links_.count * micro_batches_) return false;
    for (int l = 0; l < links_.count; ++l) {
      const bs::link& k = links_.at[l];
      for (int m = 0; m < micro_batches_; ++m) {
        const auto send = where.find({l, m, true});
        const auto receive = where.find({l, m, false});
        if (send == where.end() || receive == where.end()) return false;
        const auto producer = op.at({work(k.made), k.from, m});
        const auto consumer = op.at({work(k.used), k.to, m});
        if (send->second.first != k.from || receive->second.first != k.to) return false;
        if (send->second.second < producer.second) return false;
        if (receive->second.second > consumer.second) return false;
      }
    }
    return true;
  }

  bool nobody_waits_for_ever() const {
    std::vector<std::size_t> at(ranks_.size(), 0);
    std::set<message> offered;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        const list& actions = ranks_[r];
        if (at[r] == actions.size()) continue;
        std::size_t end = at[r] + 1;
        bool met = true;
        if (tables::is_message(actions[at[r]])) {
          while (end < actions.size() && tables::is_message(actions[end]) &&
                 actions[end].group == actions[at[r]].group) {
            ++end;
          }
          for (std::size_t i = at[r]; i < end; ++i) {
            moved |= offered.insert(end_of(actions[i])).second;
            met = met && offered.count(other_end_of(actions[i])) == 1;
          }
        }
        if (!met) continue;
        at[r] = end;
        moved = true;
      }
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (at[r] < ranks_[r].size()) return false;
    }
    return true;
  }
};

using generator = std::mt19937;

// Not std::uniform_int_distribution, which differs between standard libraries.
int pick(generator& rng, int below) {
  return static_cast<int>(rng() % static_cast<unsigned>(below));
}

// One small change to a message of one rank. Ops may change places with messages but are neither
// lost nor doubled: that is the other proof's subject.
void mutate(lists& ranks, const links::table& l, generator& rng) {
  list& actions = ranks[static_cast<std::size_t>(pick(rng, static_cast<int>(ranks.size())))];
  std::vector<int> slots;
  for (int i = 0; i < static_cast<int>(actions.size()); ++i) {
    if (tables::is_message(actions[static_cast<std::size_t>(i)])) slots.push_back(i);
  }
  if (slots.empty()) return;
  const auto any = [&] {
    return slots[static_cast<std::size_t>(pick(rng, static_cast<int>(slots.size())))];
  };
  const int slot = any();
  const auto here = actions.begin() + slot;
  switch (pick(rng, 15)) {
    case 0:
      actions.erase(here);
      break;
    case 1: {
      bs::action again = *here;
      if (pick(rng, 2) == 0) again.group = 1000;
      actions.insert(here, again);
      break;
    }
    case 2:
      here->micro_batch += pick(rng, 2) == 0 ? 1 : -1;
      break;
    case 3:
      here->link = pick(rng, l.count + 2) - 1;
      break;
    case 4: {
      constexpr action_kind kinds[] = {action_kind::send_forward, action_kind::receive_forward,
                                       action_kind::send_backward, action_kind::receive_backward};
      here->kind = kinds[pick(rng, 4)];
      break;
    }
    case 5: {
      const bs::action moved = *here;
      actions.erase(here);
      actions.insert(actions.begin() + pick(rng, static_cast<int>(actions.size()) + 1), moved);
      break;
    }
    case 6:
      std::swap(*here, actions[static_cast<std::size_t>(any())]);
      break;
    case 7:
    case 8:
      here->group = 2000 + slot;
      break;
    case 9:
    case 10:
      if (slot > 0 && tables::is_message(*(here - 1))) here->group = (here - 1)->group;
      break;
    case 11: {
      const bs::action moved = *here;
      actions.erase(here);
      list& other = ranks[static_cast<std::size_t>(pick(rng, static_cast<int>(ranks.size())))];
      other.insert(other.begin() + pick(rng, static_cast<int>(other.size()) + 1), moved);
      break;
    }
    default:  // the one that a program survives most often
      if (slot > 0) std::swap(*here, *(here - 1));
      break;
  }
}

template <class Policy>
lists any_program(int ranks, int micro_batches, const links::table& l, generator& rng) {
  switch (pick(rng, 6)) {
    case 0:
      return lower_late<Policy>(ranks, micro_batches, l);
    case 1:
      return ungrouped(lower_late<Policy>(ranks, micro_batches, l));
    case 2:
    case 3:
      return fully_grouped(lower_late<Policy>(ranks, micro_batches, l));
    default:
      return lower_together<Policy>(ranks, micro_batches, l);
  }
}

}  // namespace

TEST_CASE("random_programs_get_the_executors_verdict") {
  int accepted = 0, unmatched = 0, deadlocked = 0, disagreed = 0;
  for (unsigned seed = 0; seed < 6000; ++seed) {
    generator rng(seed);
    const int R = 2 + pick(rng, 3), M = 1 + pick(rng, 4);
    const auto l = pick(rng, 3) == 0   ? links::dense(R)
                   : pick(rng, 2) == 0 ? links::chain(R)
                                       : links::chain_and_skip(R);
    lists ranks = pick(rng, 2) == 0 ? any_program<bs::f_then_b>(R, M, l, rng)
                                    : any_program<bs::one_f_one_b_clamped>(R, M, l, rng);
    const lists original = ranks;
    for (int n = pick(rng, 3); n > 0; --n) mutate(ranks, l, rng);

    const message_rule rule = verdict(ranks, l, M);
    const bool runs = executor(ranks, l, M).runs();
    accepted += rule == message_rule::none && ranks != original ? 1 : 0;
    unmatched += rule == message_rule::unmatched ? 1 : 0;
    deadlocked += rule == message_rule::deadlock ? 1 : 0;
    if (runs == (rule == message_rule::none) || ++disagreed > 3) continue;
    std::string program;
    for (const list& actions : ranks) program += '\n' + tables::text(actions);
    MESSAGE("seed " << seed << " runs: " << runs << ", rule: " << static_cast<int>(rule)
                    << program);
  }
  MESSAGE("changed and accepted " << accepted << ", unmatched " << unmatched << ", deadlock "
                                  << deadlocked);
  CHECK(disagreed == 0);
  // Each verdict must have been put to the test.
  CHECK(accepted > 500);
  CHECK(unmatched > 500);
  CHECK(deadlocked > 500);
}
