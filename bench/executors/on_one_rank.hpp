// A policy's order for S ranks, worked off by one: what the loops cost, with no hand-over between
// threads. The plan is an ordinary one, of one rank with S stages.
#pragma once

#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/scratch.hpp"
#include "backstitch/schedule/shape.hpp"
#include "backstitch/schedule/timetable.hpp"

namespace executors {

// One rank's share of the order, to be looked through.
struct work_list {
  backstitch::scratch<backstitch::action> at;
  int count = 0;
  constexpr explicit work_list(int most) : at(most) {}
  constexpr void add(const backstitch::action& a) { at.at[count++] = a; }
};

// The stages take turns, the last one first, one forward or backward each, as soon as the
// neighbour has done its own.
template <class Policy, int S>
struct on_one_rank {
  static constexpr const char* name = "on_one_rank";
  static constexpr int chunks = S;

  template <class Sink>
  static constexpr void generate(backstitch::shape one, int /*rank*/, Sink& sink) {
    const int M = one.micro_batches;
    int own[S] = {}, none[S] = {};
    for (int s = 0; s < S; ++s) own[s] = s;
    const backstitch::shape many{S, S, M, 1, 1, own, own, none};

    // 2M entries per stage.
    backstitch::scratch<backstitch::action> work(2 * M * S);
    backstitch::scratch<int> end(2 * S), next(S), done(2 * S * M);
    for (int s = 0; s < S; ++s) {
      work_list list(2 * M);
      backstitch::detail::sink<work_list> to{list};
      Policy::generate(many, s, to);
      for (int i = 0; i < list.count; ++i) work.at[2 * M * s + i] = list.at.at[i];
      end.at[s] = list.count;
    }
    for (bool progress = true; progress;) {
      progress = false;
      for (int s = S - 1; s >= 0; --s) {
        if (next.at[s] == end.at[s]) continue;
        const backstitch::action& a = work.at[2 * M * s + next.at[s]];
        const int m = a.micro_batch;
        const bool forward = a.kind == backstitch::action_kind::forward;
        const bool ready = forward ? s == 0 || done.at[2 * (M * (s - 1) + m)] != 0
                                   : s == S - 1 || done.at[2 * (M * (s + 1) + m) + 1] != 0;
        if (!ready) continue;
        if (forward) {
          sink.forward(s, m);
        } else {
          sink.backward(s, m);
        }
        done.at[2 * (M * s + m) + (forward ? 0 : 1)] = 1;
        ++next.at[s];
        progress = true;
      }
    }
  }
};

}  // namespace executors
