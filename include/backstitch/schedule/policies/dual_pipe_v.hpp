// DualPipeV: DualPipe folded into a V, so one copy of the model is enough. DeepSeek; "cut in half"
// by Sea AI Lab; the order of PyTorch.
//
// M >= 2R. Peak: 2R+1 micro-batches of a stage on every rank. Idle: (R-1)(P+B-3W), P the time of a
// forward and a backward that run together, B and W of one stage, where F = I = W.
#pragma once

#include "backstitch/schedule/placement.hpp"
#include "backstitch/schedule/policies/dual_pipe_steps.hpp"
#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch {

// Two stages per rank.
struct dual_pipe_v {
  static constexpr const char* name = "dual_pipe_v";  // for pictures and messages
  static constexpr int chunks = 2;                    // stages per rank
  using placement_type = placement::v;                // where the stages stand
  static constexpr bool splits_backward = true;       // emits I and W

  // The least legal number of micro-batches.
  static constexpr int min_micro_batches(int ranks) { return 2 * ranks; }
  // The other rules on the sizes.
  static constexpr precondition accept(shape s) { return detail::stages_on_every_rank(s, 2); }
  // The peak.
  static constexpr int max_in_flight(shape s, int /*rank*/) { return 2 * s.ranks + 1; }

  // Emits the rank's order into a sink. O(M).
  template <class Sink>
  static constexpr void generate(shape s, int rank, Sink& sink) {
    detail::dual_pipe_rank<Sink> work{sink, s, s.stage(rank, 0), s.stage(rank, 1), 2 * s.ranks};
    work.run(detail::place_of(s, rank), s.ranks, s.micro_batches);
  }
};

}  // namespace backstitch
