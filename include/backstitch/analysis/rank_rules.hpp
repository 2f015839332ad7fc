// The rules that one rank's list is checked for on its own: what stands there, how often, and in
// which order. One pass, O(actions).
//
// Written for constant evaluation, where a function call costs as much as twenty operators: the
// usual entries are handled in the loop itself, and only what looks wrong goes to a function that
// finds out what it is.
#pragma once

#include "backstitch/analysis/fault.hpp"
#include "backstitch/analysis/rank_verdict.hpp"
#include "backstitch/schedule/action.hpp"
#include "backstitch/schedule/link.hpp"
#include "backstitch/schedule/scratch.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch::detail {

// `Stages`, `Links`, `Chunks` (stages per rank), `MicroBatches`: 0 for sizes that are known at run
// time only.
template <int Stages = 0, int Links = 0, int Chunks = 0, int MicroBatches = 0>
class rank_rules {
 public:
  constexpr rank_rules(const shape& sizes, const link_view& links,
                       const link_index<Stages, Links>& index, bool forward_only)
      : sizes_(sizes),
        links_(links),
        index_(index),
        forward_only_(forward_only),
        chunk_(sizes.stages),
        first_(sizes.chunks),
        state_(sizes.chunks * sizes.micro_batches),
        ends_(links.count * sizes.micro_batches),
        left_(sizes.chunks),
        closed_(sizes.chunks) {}

  // Checks the list of a rank.
  constexpr rank_verdict run(int rank, const action* list, int count) {
    start(rank);
    const int all = sizes_.micro_batches, own = sizes_.micro_batches_per_stage();
    int live = 0, peak = 0, works = 0, messages = 0;
    for (int i = 0; i < count; ++i) {
      const action& a = list[i];
      const int s = a.stage, m = a.micro_batch;
      const int c = s >= 0 && s < sizes_.stages ? chunk_.at[s] : -1;
      const bool message = static_cast<int>(a.kind) >= static_cast<int>(action_kind::send_forward);
      if ((a.group >= 0 && !message) || c < 0 || m < first_.at[c] || m >= first_.at[c] + own ||
          static_cast<int>(a.kind) >= static_cast<int>(action_kind::release)) {
        const int before = live;
        const int n = check_rare(list, count, i, live);
        if (n == 0) return out_;
        works += works_of_rare_;
        messages += messages_of_rare_;
        // The two of a pair run together: the forward is there before the backward has left.
        const int most = n > 1 ? before + 1 : live;
        peak = most > peak ? most : peak;
        if (forward_only_) live = 0;
        i += n - 1;
        continue;
      }
      int& now = state_.at[c * all + m];
      rule broken = rule::none;
      if (a.kind == action_kind::forward) {
        if (now != 0) return fail(explain_work(a.kind, now, forward_only_), a, i);
        for (int l = index_.first_in.at[2 * s]; l >= 0; l = index_.next_in.at[l]) {
          if (!is_here(l, m)) broken = late(l);
        }
        if (broken != rule::none) return fail(broken, a, i);
        now = forwarded;
        ++works;
        if (++live > peak) peak = live;
        if (forward_only_) --live;
      } else if (a.kind == action_kind::backward || a.kind == action_kind::backward_input) {
        if (now != forwarded || forward_only_)
          return fail(explain_work(a.kind, now, forward_only_), a, i);
        for (int l = index_.first_in.at[2 * s + 1]; l >= 0; l = index_.next_in.at[l]) {
          if (!is_here(l, m)) broken = late(l);
        }
        if (broken != rule::none) return fail(broken, a, i);
        if (a.kind == action_kind::backward) {
          now = backwarded;
          ++works;
          --live;
          --left_.at[c];
        } else {
          now = split;
        }
      } else if (a.kind == action_kind::backward_weight) {
        if (now != split) return fail(explain_work(a.kind, now, forward_only_), a, i);
        now = weighted;
        ++works;
        --live;
        --left_.at[c];
      } else {
        const int l = a.link;
        if (l < 0 || l >= links_.count) return fail(rule::foreign_action, a, i);
        const link& k = links_.at[l];
        const bool sends =
            a.kind == action_kind::send_forward || a.kind == action_kind::send_backward;
        int& end = ends_.at[l * all + m];
        const int made = k.made == phase::forward ? forwarded : backwarded;
        if (end != 0 || s != (sends ? k.from : k.to) || chunk_.at[sends ? k.to : k.from] >= 0 ||
            (made == forwarded) !=
                (a.kind == action_kind::send_forward || a.kind == action_kind::receive_forward) ||
            (sends && (now < made || now >= released))) {
          return fail(explain_message(a, now), a, i);
        }
        end = 1;
        ++messages;
      }
    }
    out_.peak_in_flight = out_.releases ? peak_until_release(list, count) : peak;
    find_missing(works < count_ * own * (forward_only_ ? 1 : 2), messages < crossing_ * own);
    return out_;
  }

 private:
  shape sizes_;
  link_view links_;
  const link_index<Stages, Links>& index_;
  bool forward_only_;
  int rank_ = 0;
  int count_ = 0;               // stages on this rank
  int crossing_ = 0;            // links between this rank and another one
  scratch<int, Stages> chunk_;  // of each stage on this rank, else -1
  scratch<int, Chunks> first_;  // micro-batch of each chunk
  scratch<int, Chunks * MicroBatches> state_;
  scratch<int, Links * MicroBatches> ends_;  // this rank's end of a message stands in the list
  scratch<int, Chunks> left_;                // backwards that a chunk still has to do
  scratch<int, Chunks> closed_;              // 1: reduced, 2: updated
  int works_of_rare_ = 0, messages_of_rare_ = 0;
  rank_verdict out_ = {};

  constexpr void start(int rank) {
    rank_ = rank;
    for (int s = 0; s < sizes_.stages; ++s) chunk_.at[s] = -1;
    for (int c = 0; c < sizes_.chunks; ++c) {
      const int s = sizes_.stage(rank, c);
      if (s < 0) continue;
      chunk_.at[s] = c;
      first_.at[c] = sizes_.first_micro_batch(s);
      left_.at[c] = sizes_.micro_batches_per_stage();
      ++count_;
    }
    for (int l = 0; l < links_.count; ++l) {
      if ((chunk_.at[links_.at[l].from] >= 0) != (chunk_.at[links_.at[l].to] >= 0)) ++crossing_;
    }
  }

  constexpr rank_verdict fail(rule broken, const action& a, int slot) {
    out_.first = {broken, rank_, slot, a.stage, a.micro_batch, 0, {}};
    if (broken == rule::deadlock) {
      out_.first.waiting = 1;
      out_.first.cycle[0] = rank_;
    }
    return out_;
  }

  // The value of a link, a message or made on this rank, stands before this entry.
  constexpr bool is_here(int l, int m) const {
    const link& k = links_.at[l];
    const int from = chunk_.at[k.from];
    if (from < 0) return ends_.at[l * sizes_.micro_batches + m] != 0;
    return state_.at[from * sizes_.micro_batches + m] >=
           (k.made == phase::forward ? forwarded : backwarded);
  }
  // Of a value made on this rank, the op waits for one behind it.
  constexpr rule late(int l) const {
    return chunk_.at[links_.at[l].from] >= 0 ? rule::deadlock : rule::received_too_late;
  }

  constexpr rule explain_message(const action& a, int now) const {
    const link& k = links_.at[a.link];
    const bool sends = is_send(a.kind);
    const bool fits = a.kind == (sends ? send_kind(k.made) : receive_kind(k.made)) &&
                      a.stage == (sends ? k.from : k.to) && chunk_.at[sends ? k.to : k.from] < 0;
    if (!fits) return rule::foreign_action;
    if (ends_.at[a.link * sizes_.micro_batches + a.micro_batch] != 0) return rule::work_done_twice;
    return now >= released ? rule::released_too_early : rule::sent_too_early;
  }

  // Groups, entries without a micro-batch, and what is out of range. Returns how many entries were
  // passed, 0 if a fault was found.
  constexpr int check_rare(const action* list, int count, int i, int& live) {
    works_of_rare_ = messages_of_rare_ = 0;
    const int n = length_of_group(list, count, i);
    if (n == 0) return refuse(rule::bad_group, list[i], i);
    for (int j = i; j < i + n; ++j) {
      const rule broken = look_at(list[j]);
      if (broken != rule::none) return refuse(broken, list[j], j);
    }
    for (int j = i; j < i + n; ++j) {
      const rule broken = mark(list[j], live);
      if (broken != rule::none) return refuse(broken, list[j], j);
    }
    return n;
  }
  constexpr int refuse(rule broken, const action& a, int slot) {
    fail(broken, a, slot);
    return 0;
  }

  // Work from `i` on that starts together, 1 or an overlapped pair; 0: it may not. Messages are
  // looked at one by one: only work among them is wrong.
  static constexpr int length_of_group(const action* list, int count, int i) {
    const action& a = list[i];
    if (a.group < 0 || is_message(a.kind)) return 1;
    int n = 1;
    while (i + n < count && list[i + n].group == a.group) ++n;
    if (n != 2 || (i > 0 && list[i - 1].group == a.group)) return 0;
    const int one = phase_of(a.kind), two = phase_of(list[i + 1].kind);
    return one >= 0 && two >= 0 && one != two ? 2 : 0;
  }

  constexpr bool owned(const action& a) const {
    return a.stage >= 0 && a.stage < sizes_.stages && chunk_.at[a.stage] >= 0;
  }
  constexpr bool in_range(const action& a) const {
    if (!owned(a)) return false;
    const int m = a.micro_batch - sizes_.first_micro_batch(a.stage);
    return m >= 0 && m < sizes_.micro_batches_per_stage();
  }
  constexpr int& state_of(const action& a) {
    return state_.at[chunk_.at[a.stage] * sizes_.micro_batches + a.micro_batch];
  }

  constexpr rule look_at(const action& a) {
    switch (a.kind) {
      case action_kind::forward:
      case action_kind::backward:
      case action_kind::backward_input:
      case action_kind::backward_weight:
        return in_range(a) ? check_work(a) : rule::foreign_action;
      case action_kind::release:
        return in_range(a) ? check_release(a) : rule::foreign_action;
      case action_kind::reduce:
        return check_reduce(a);
      case action_kind::update:
        return check_update(a);
      default:
        return in_range(a) && a.link >= 0 && a.link < links_.count ? check_message(a)
                                                                   : rule::foreign_action;
    }
  }
  constexpr rule check_work(const action& a) {
    const int now = state_of(a);
    const int before = a.kind == action_kind::forward           ? untouched
                       : a.kind == action_kind::backward_weight ? split
                                                                : forwarded;
    if (now != before || (forward_only_ && a.kind != action_kind::forward)) {
      return explain_work(a.kind, now, forward_only_);
    }
    const int p = phase_of(a.kind);
    for (int l = p < 0 ? -1 : index_.first_in.at[2 * a.stage + p]; l >= 0;
         l = index_.next_in.at[l]) {
      if (!is_here(l, a.micro_batch)) return late(l);
    }
    return rule::none;
  }
  constexpr rule check_message(const action& a) {
    const link& k = links_.at[a.link];
    const bool sends = is_send(a.kind);
    const int now = state_of(a);
    const bool fits = a.kind == (sends ? send_kind(k.made) : receive_kind(k.made)) &&
                      a.stage == (sends ? k.from : k.to) && chunk_.at[sends ? k.to : k.from] < 0 &&
                      ends_.at[a.link * sizes_.micro_batches + a.micro_batch] == 0;
    const bool made = now >= (k.made == phase::forward ? forwarded : backwarded);
    if (!fits || (sends && (!made || now >= released))) {
      return explain_message(a, now);
    }
    return rule::none;
  }
  constexpr rule check_release(const action& a) {
    const int now = state_of(a);
    if (now >= released) return rule::work_done_twice;
    const bool over = forward_only_ ? now == forwarded : now == backwarded || now == weighted;
    return over ? rule::none : rule::released_too_early;
  }
  constexpr rule check_reduce(const action& a) {
    if (!owned(a) || forward_only_) return rule::foreign_action;
    if ((closed_.at[chunk_.at[a.stage]] & 1) != 0) return rule::work_done_twice;
    const int of_one = sizes_.stages / sizes_.pipes;
    for (int s = a.stage % of_one; s < sizes_.stages; s += of_one) {
      if (chunk_.at[s] < 0) continue;
      if (left_.at[chunk_.at[s]] > 0) return rule::reduce_too_early;
      if ((closed_.at[chunk_.at[s]] & 2) != 0) return rule::update_too_early;
    }
    return rule::none;
  }
  constexpr rule check_update(const action& a) {
    if (!owned(a) || forward_only_) return rule::foreign_action;
    const int c = chunk_.at[a.stage];
    if ((closed_.at[c] & 2) != 0) return rule::work_done_twice;
    return left_.at[c] > 0 ? rule::update_too_early : rule::none;
  }

  constexpr rule mark(const action& a, int& live) {
    const int c = chunk_.at[a.stage];
    switch (a.kind) {
      case action_kind::forward:
        state_of(a) = forwarded;
        ++live;
        ++works_of_rare_;
        break;
      case action_kind::backward:
        state_of(a) = backwarded;
        --live;
        --left_.at[c];
        ++works_of_rare_;
        break;
      case action_kind::backward_input:
        state_of(a) = split;
        break;
      case action_kind::backward_weight:
        state_of(a) = weighted;
        --live;
        --left_.at[c];
        ++works_of_rare_;
        break;
      case action_kind::release:
        state_of(a) |= released;
        out_.releases = true;
        break;
      case action_kind::reduce: {
        const int of_one = sizes_.stages / sizes_.pipes;
        for (int s = a.stage % of_one; s < sizes_.stages; s += of_one) {
          if (chunk_.at[s] >= 0) closed_.at[chunk_.at[s]] |= 1;
        }
        out_.reduces = true;
        break;
      }
      case action_kind::update:
        closed_.at[c] |= 2;
        out_.updates = true;
        break;
      default: {
        // Twice in one group.
        int& end = ends_.at[a.link * sizes_.micro_batches + a.micro_batch];
        if (end != 0) return rule::work_done_twice;
        end = 1;
        ++messages_of_rare_;
      }
    }
    return rule::none;
  }

  // Where a program says itself when a micro-batch ends.
  static constexpr int peak_until_release(const action* list, int count) {
    int live = 0, peak = 0;
    for (int i = 0; i < count; ++i) {
      if (list[i].kind == action_kind::forward && ++live > peak) peak = live;
      if (list[i].kind == action_kind::release) --live;
    }
    return peak;
  }

  constexpr void missing(rule broken, int stage, int m) {
    out_.first = {broken, rank_, 0, stage, m, 0, {}};
  }
  constexpr void find_missing(bool work_is_missing, bool message_is_missing) {
    const int n = sizes_.micro_batches_per_stage();
    for (int s = 0; s < sizes_.stages; ++s) {
      const int c = chunk_.at[s];
      if (c < 0) continue;
      const int* state = state_.at + c * sizes_.micro_batches;
      for (int m = first_.at[c]; work_is_missing && m < first_.at[c] + n; ++m) {
        const int now = state[m] & (released - 1);
        const bool worked = forward_only_ ? now == forwarded : now == backwarded || now == weighted;
        if (!worked) return missing(rule::work_missing, s, m);
      }
      for (int m = first_.at[c]; out_.releases && m < first_.at[c] + n; ++m) {
        if (state[m] >= released || out_.stage_without_release >= 0) continue;
        out_.stage_without_release = s;
        out_.unreleased_micro_batch = m;
      }
      if (!out_.releases) {
        out_.stage_without_release = s;
        out_.unreleased_micro_batch = first_.at[c];
      }
      if ((closed_.at[c] & 1) == 0 && out_.stage_without_reduce < 0) out_.stage_without_reduce = s;
      if ((closed_.at[c] & 2) == 0 && out_.stage_without_update < 0) out_.stage_without_update = s;
    }
    for (int l = 0; message_is_missing && l < links_.count; ++l) {
      const link& k = links_.at[l];
      if ((chunk_.at[k.from] >= 0) == (chunk_.at[k.to] >= 0)) continue;
      const int s = chunk_.at[k.from] >= 0 ? k.from : k.to;
      const int first = first_.at[chunk_.at[s]];
      const int* end = ends_.at + l * sizes_.micro_batches;
      for (int m = first; m < first + n; ++m) {
        if (end[m] == 0) return missing(rule::message_missing, s, m);
      }
    }
  }
};

}  // namespace backstitch::detail
