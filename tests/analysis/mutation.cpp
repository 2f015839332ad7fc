// The contract against an executor that shares no code with it, over thousands of broken, and of
// unbroken, programs: the same verdict under every channel model, a rule that really is broken, and
// of a deadlock the shortest cycle.
#include "backstitch/dynamic/contract.hpp"
#include "backstitch/dynamic/schedule.hpp"
#include "backstitch/schedule/policies/chimera.hpp"
#include "backstitch/schedule/policies/dual_pipe.hpp"
#include "backstitch/schedule/policies/dual_pipe_v.hpp"
#include "backstitch/schedule/policies/eager_one_f_one_b.hpp"
#include "backstitch/schedule/policies/f_then_b.hpp"
#include "backstitch/schedule/policies/forward_only.hpp"
#include "backstitch/schedule/policies/group_interleaved.hpp"
#include "backstitch/schedule/policies/interleaved.hpp"
#include "backstitch/schedule/policies/looped_bfs.hpp"
#include "backstitch/schedule/policies/one_f_one_b.hpp"
#include "backstitch/schedule/policies/seq_one_f_one_b.hpp"
#include "backstitch/schedule/policies/v_min.hpp"
#include "backstitch/schedule/policies/vpp.hpp"
#include "backstitch/schedule/policies/zbv.hpp"
#include "backstitch/schedule/policies/zero_bubble_1p.hpp"
#include "backstitch/schedule/policies/zero_bubble_2p.hpp"
#include "backstitch/schedule/policies/zero_bubble_h1.hpp"

#include "support/base_programs.hpp"
#include "support/brute_force.hpp"
#include "support/golden_programs.hpp"
#include "support/mutate.hpp"
#include "support/program_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace bs = backstitch;

namespace {

using brute_force::rule;
using brute_force::verdict;
using program_text::program;

// The library's verdict.
bs::fault contract(const program& p, brute_force::channel_model model) {
  const std::size_t ranks = p.list.size();
  std::vector<std::vector<int>> stages(ranks);
  std::vector<int> chunk_of;
  bs::shape s{p.ranks(), p.stages, p.micro_batches, p.pipes, 0, p.rank_of.data(), nullptr, nullptr};
  for (int stage = 0; stage < p.stages; ++stage) {
    std::vector<int>& here = stages[static_cast<std::size_t>(s.rank_of(stage))];
    chunk_of.push_back(static_cast<int>(here.size()));
    here.push_back(stage);
    if (s.chunks < static_cast<int>(here.size())) s.chunks = static_cast<int>(here.size());
  }
  std::vector<int> stage_of_chunk;
  for (std::vector<int>& here : stages) {
    here.resize(static_cast<std::size_t>(s.chunks), -1);
    stage_of_chunk.insert(stage_of_chunk.end(), here.begin(), here.end());
  }
  s.stage_of_chunk = stage_of_chunk.data();
  s.chunk_of_stage = chunk_of.data();
  std::vector<int> count;
  std::vector<const bs::action*> lists;
  for (const std::vector<bs::action>& list : p.list) {
    count.push_back(static_cast<int>(list.size()));
    lists.push_back(list.data());
  }
  const bs::channel_order orders[] = {bs::channel_order::tagged, bs::channel_order::rank_pair,
                                      bs::channel_order::directed_pair,
                                      bs::channel_order::direction_kind};
  return bs::check_program(s, p.links, {p.ranks(), count.data(), lists.data()},
                           {model.capacity, orders[static_cast<int>(model.order)]}, p.forward_only,
                           p.caps.empty() ? nullptr : p.caps.data());
}

struct named_model {
  const char* name;
  brute_force::channel_model model;
};
constexpr named_model models[] = {
    {"rendezvous", brute_force::rendezvous},
    {"capacity<1>", brute_force::buffered_1},
    {"capacity<2>", brute_force::buffered_2},
    {"tagged", brute_force::tagged},
    {"fifo_per_rank_pair", brute_force::fifo_per_rank_pair},
    {"fifo_per_directed_pair", brute_force::fifo_per_directed_pair},
    {"fifo_per_direction_kind", brute_force::fifo_per_direction_kind},
};

// Whether the place that a fault names is one where the rule is broken.
std::string place(const program& p, const verdict& ours, const bs::fault& theirs) {
  const std::string named = bs::rule_name(theirs.broken);
  if (theirs.rank < 0 || theirs.rank >= p.ranks()) return named + " on no rank";
  bool on_an_action = false, found = false;
  for (const auto& [broken, rank, slot] : ours.places) {
    if (named != brute_force::name(broken)) continue;
    on_an_action = true;
    found = found || (rank == theirs.rank && slot == theirs.slot);
  }
  // Of memory, the fault tells how many there may be and are.
  if (!on_an_action || theirs.broken == bs::rule::too_many_in_flight) return "";
  if (!found) return named + " at another place";
  const bs::action& a =
      p.list[static_cast<std::size_t>(theirs.rank)][static_cast<std::size_t>(theirs.slot)];
  if (theirs.stage != a.stage) return named + " of another stage";
  return "";
}

// Where the two verdicts part; empty: nowhere.
std::string disagreement(const program& p, const verdict& ours, const bs::fault& theirs) {
  const std::string named = bs::rule_name(theirs.broken);
  if (theirs.broken == bs::rule::none) return ours.accepted() ? "" : "accepted";
  bool broken = false;
  for (const rule r : ours.broken) broken = broken || named == brute_force::name(r);
  if (!broken) return named;
  std::string there = place(p, ours, theirs);
  if (!there.empty()) return there;
  if (theirs.broken != bs::rule::deadlock) return "";
  if (theirs.waiting != ours.cycle) {
    return "a cycle of " + std::to_string(theirs.waiting);
  }
  if (theirs.cycle[0] != theirs.rank) return "a cycle that starts elsewhere";
  // The ranks that it names do wait for each other.
  for (int i = 0; i < theirs.waiting; ++i) {
    const auto waits = ours.waits.find(theirs.cycle[i]);
    const int next = theirs.cycle[(i + 1) % theirs.waiting];
    if (waits == ours.waits.end() || waits->second.count(next) == 0) {
      return "rank " + std::to_string(theirs.cycle[i]) + " waits for rank " + std::to_string(next);
    }
  }
  return "";
}

// By name, so that a new program changes no draw of the others (FNV-1a).
unsigned seed(const std::string& name) {
  unsigned hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

// Valid programs, each with a name for messages.
struct base {
  std::string name;
  program start;
};
class base_list {
 public:
  std::vector<base> all;
  std::vector<base> refused;  // what lower_late makes of schedules that it does not fit

  template <class Policy>
  void add(int ranks, int micro_batches) {
    const bs::dynamic_shape shape = bs::dynamic_shape_for<Policy>(ranks, micro_batches);
    REQUIRE(bs::check_sizes<Policy>(shape.get()).broken == bs::size_rule::none);
    const bool forward_only = bs::detail::is_forward_only<Policy>();
    const bs::dynamic_timetable table = bs::generate<Policy>(shape.get());
    const std::vector<std::vector<bs::action>> work = base_programs::work_lists(table);
    const program frame = base_programs::frame(shape.get(), forward_only);
    name_ = std::string(Policy::name) + " R=" + std::to_string(ranks) +
            " M=" + std::to_string(micro_batches);

    const program plain = base_programs::lower(frame, work, false);
    const program released = base_programs::lower(frame, work, true);
    keep(", plain", plain);
    keep(", released, capped", base_programs::with_caps(finish(released)));
    keep(", late, in groups of two",
         base_programs::with_groups(base_programs::with_late_receives(finish(plain)), 2));
    std::mt19937 random(seed(name_));
    keep(", late, in groups, released",
         base_programs::with_groups(
             base_programs::with_late_sends(base_programs::with_late_receives(released), random),
             4));
    keep(", capped", base_programs::with_caps(plain));
    if (!forward_only && shape.get().pipes == 1) {
      keep(", reduced", base_programs::with_updates(base_programs::with_reduces(plain)));
    }
    if (shape.get().stages >= 3 && shape.get().pipes == 1) {
      const int last = shape.get().stages - 1;
      program skipping = frame;
      skipping.links.push_back({0, last, bs::phase::forward, bs::phase::forward});
      if (!forward_only) {
        skipping.links.push_back({0, last, bs::phase::forward, bs::phase::backward});
        skipping.links.push_back({last, 0, bs::phase::backward, bs::phase::backward});
      }
      keep(", skip links", base_programs::lower(skipping, work, false));
    }

    const bs::shape s = shape.get();
    keep(", lower_together",
         with_lists(frame, bs::lower_together(s, frame.links, table.view(), !forward_only)));
    const program late =
        with_lists(frame, bs::lower_late(s, frame.links, table.view(), !forward_only));
    if (base_programs::runs(late)) {
      keep(", lower_late", late);
    } else {
      refused.push_back({name_ + ", lower_late", late});
    }
  }
  void add_drawn(unsigned count) {
    for (unsigned n = 0; n < count; ++n) {
      std::mt19937 random(n);
      name_ = "drawn " + std::to_string(n);
      const program p = base_programs::drawn(random);
      keep("", n % 2 == 0 ? base_programs::with_caps(p) : p);
    }
  }

 private:
  std::string name_;

  void keep(const char* form, const program& p) { all.push_back({name_ + form, p}); }
  static program finish(program p) {
    if (p.forward_only) return p;
    if (p.pipes > 1) p = base_programs::with_reduces(p);
    return base_programs::with_updates(p);
  }
  static program with_lists(program p, const bs::dynamic_timetable& t) {
    p.list = base_programs::work_lists(t);
    return p;
  }
};

base_list make_bases() {
  base_list bases;
  bases.add<bs::f_then_b>(1, 1);
  bases.add<bs::f_then_b>(2, 2);
  bases.add<bs::f_then_b>(3, 3);
  bases.add<bs::one_f_one_b_clamped>(3, 2);
  bases.add<bs::one_f_one_b>(2, 3);
  bases.add<bs::one_f_one_b>(4, 4);
  bases.add<bs::eager_one_f_one_b>(2, 4);
  bases.add<bs::seq_one_f_one_b<2>>(2, 2);
  bases.add<bs::forward_only>(2, 3);
  bases.add<bs::forward_only>(4, 3);
  bases.add<bs::interleaved<2>>(2, 4);
  bases.add<bs::interleaved<3>>(2, 2);
  bases.add<bs::group_interleaved<2, 1>>(3, 3);
  bases.add<bs::interleaved_overlap<2>>(2, 4);
  bases.add<bs::looped_bfs<2>>(3, 2);
  bases.add<bs::vpp<2>>(2, 4);
  bases.add<bs::vpp_split_backward<2>>(2, 2);
  bases.add<bs::zero_bubble_1p<>>(3, 4);
  bases.add<bs::zero_bubble_1p<2>>(2, 2);
  bases.add<bs::zero_bubble_h1>(3, 4);
  bases.add<bs::zero_bubble_2p>(3, 4);
  bases.add<bs::v_min>(2, 3);
  bases.add<bs::zbv>(1, 2);
  bases.add<bs::zbv>(2, 4);
  bases.add<bs::dual_pipe_v>(1, 2);
  bases.add<bs::dual_pipe_v>(2, 4);
  bases.add<bs::dual_pipe>(2, 4);
  bases.add<bs::chimera<2>>(2, 2);
  bases.add<bs::chimera<2>>(4, 4);
  bases.add<bs::chimera<4>>(4, 4);
  bases.add_drawn(120);
  return bases;
}

struct tally {
  int mutants = 0;
  int valid = 0;     // accepted by every model
  int by_lists = 0;  // refused for a rule on lists
  int rejected[std::size(models)] = {};
};

// Why no mutant of a kind can be valid: it breaks one of these rules, always. None: some are valid.
std::set<rule> sure_to_break(mutation::kind k) {
  switch (k) {
    case mutation::kind::duplicate:  // everything stands once
      return {rule::work_done_twice};
    case mutation::kind::other_rank:  // everything belongs to the rank of its stage
    case mutation::kind::misplace:
      return {rule::foreign_action};
    case mutation::kind::other_link:  // every end of every message stands once
    case mutation::kind::change_message:
      return {rule::message_missing};
    case mutation::kind::change_work:  // F, and B or both I and W, stand once
      return {rule::work_missing, rule::mixed_backward};
    case mutation::kind::less_memory:  // the caps were the least
      return {rule::too_many_in_flight};
    default:
      return {};
  }
}

}  // namespace

TEST_CASE("the contract and the executor agree on every mutant") {
  const base_list bases = make_bases();
  std::vector<tally> by_kind(static_cast<std::size_t>(mutation::kind::count));
  std::map<std::string, int> named, alone;  // by rule
  std::map<int, int> cycles;                // by length, under rendezvous
  int mutants = 0, disagreements = 0;
  std::size_t smallest = 0;
  std::string worst;

  const auto compare = [&](const std::string& what, const program& p, tally& t) -> verdict {
    const verdict lists = brute_force::judge_lists(p);
    ++t.mutants;
    bool everywhere = true;
    for (std::size_t m = 0; m < std::size(models); ++m) {
      const verdict ours = lists.accepted() ? brute_force::judge_run(p, models[m].model) : lists;
      const bs::fault theirs = contract(p, models[m].model);
      if (!ours.accepted()) ++t.rejected[m];
      everywhere = everywhere && ours.accepted();
      if (theirs.broken != bs::rule::none) ++named[bs::rule_name(theirs.broken)];
      if (ours.broken.size() == 1) ++alone[brute_force::name(*ours.broken.begin())];
      if (m == 0 && ours.cycle > 0) ++cycles[ours.cycle];
      const std::string part = disagreement(p, ours, theirs);
      if (part.empty()) continue;
      ++disagreements;
      const std::string text = what + ", " + models[m].name + "\nexecutor: " + ours.text() +
                               "\ncontract: " + part + " (rank " + std::to_string(theirs.rank) +
                               ", slot " + std::to_string(theirs.slot) + ")\n" +
                               program_text::write(p);
      if (smallest != 0 && smallest <= text.size()) continue;
      smallest = text.size();
      worst = text;
    }
    t.valid += everywhere ? 1 : 0;
    t.by_lists += lists.accepted() ? 0 : 1;
    return lists;
  };

  tally unchanged;
  for (const base& b : bases.all) {
    REQUIRE_MESSAGE(brute_force::judge(b.start, brute_force::rendezvous).accepted(), b.name);
    compare(b.name, b.start, unchanged);
  }
  for (const base& b : bases.refused) compare(b.name, b.start, unchanged);

  for (std::size_t b = 0; b < bases.all.size(); ++b) {
    for (int k = 0; k < static_cast<int>(mutation::kind::count); ++k) {
      const mutation::kind kind = static_cast<mutation::kind>(k);
      std::mt19937 random(seed(bases.all[b].name) + static_cast<unsigned>(k));
      const int tries = kind == mutation::kind::two ? 12 : 5;
      for (int n = 0; n < tries; ++n) {
        const std::optional<program> mutant = mutation::mutate(bases.all[b].start, kind, random);
        if (!mutant) continue;
        const std::string what = bases.all[b].name + ", " + mutation::name(kind);
        const verdict lists = compare(what, *mutant, by_kind[static_cast<std::size_t>(k)]);
        bool surely = sure_to_break(kind).empty();
        for (const rule r : sure_to_break(kind)) surely = surely || lists.broken.count(r) > 0;
        CHECK_MESSAGE(surely, what << '\n' << program_text::write(*mutant));
        ++mutants;
      }
    }
  }

  std::ostringstream table;
  table << bases.all.size() << " programs, " << mutants << " mutants; rejected:\n"
        << std::left << std::setw(20) << "" << std::right << std::setw(8) << "mutants"
        << std::setw(8) << "valid" << std::setw(8) << "lists";
  for (const char* head : {"rendezv", "cap 1", "cap 2", "tagged", "pair", "direct", "kind"}) {
    table << std::setw(8) << head;
  }
  for (std::size_t k = 0; k < by_kind.size(); ++k) {
    const tally& t = by_kind[k];
    table << '\n'
          << std::left << std::setw(20) << mutation::name(static_cast<mutation::kind>(k))
          << std::right << std::setw(8) << t.mutants << std::setw(8) << t.valid << std::setw(8)
          << t.by_lists;
    for (const int n : t.rejected) table << std::setw(8) << n;
  }
  table << "\nrules: named by the contract, and broken alone";
  for (const auto& [name, n] : named) table << '\n' << name << ' ' << n << ' ' << alone[name];
  table << "\ncycles under rendezvous:";
  for (const auto& [length, n] : cycles) table << ' ' << length << " ranks: " << n << ';';
  table << "\nlowered late, but not valid so:";
  for (const base& b : bases.refused) table << '\n' << b.name;
  MESSAGE(table.str());

  CHECK_MESSAGE(disagreements == 0, worst);
  CHECK(mutants >= 20000);
  for (std::size_t k = 0; k < by_kind.size(); ++k) {
    const mutation::kind kind = static_cast<mutation::kind>(k);
    CAPTURE(mutation::name(kind));
    const tally& t = by_kind[k];
    CHECK(t.mutants >= 200);
    for (const int rejected : t.rejected) {
      // Joined messages can only wait for each other where a group ends as one.
      if (kind != mutation::kind::join_groups) CHECK(rejected >= 50);
    }
    CHECK(t.rejected[0] >= 50);
    int accepted = 0;  // by some model
    for (const int rejected : t.rejected) accepted = std::max(accepted, t.mutants - rejected);
    CHECK((accepted > 0) == sure_to_break(kind).empty());
  }
  // Every rule has been broken alone, and named.
  for (int r = 0; r <= static_cast<int>(rule::deadlock); ++r) {
    const std::string name = brute_force::name(static_cast<rule>(r));
    CAPTURE(name);
    CHECK(named[name] > 0);
    CHECK(alone[name] > 0);
  }
  for (const int length : {1, 2, 3, 4}) CHECK(cycles[length] > 0);
}

TEST_CASE("the contract and the executor agree on the peers' lists") {
  const std::vector<std::string> files = golden_programs::with_messages();
  CHECK(files.size() == 118);
  for (const std::string& file : files) {
    const program p = golden_programs::read(file);
    for (const named_model& m : models) {
      const std::string part =
          disagreement(p, brute_force::judge(p, m.model), contract(p, m.model));
      CHECK_MESSAGE(part.empty(), file << ", " << m.name << ": contract: " << part);
    }
  }
}
