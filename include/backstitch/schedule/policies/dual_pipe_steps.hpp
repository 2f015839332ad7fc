// The eight steps that DualPipe and DualPipeV share: two streams of micro-batches meet on a rank,
// one that starts at its end of the pipeline and one that ends there.
#pragma once

#include "backstitch/schedule/scratch.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch::detail {

// One rank of such a pipeline.
template <class Sink>
struct dual_pipe_rank {
  Sink& sink;
  const shape& sizes;
  int outbound, inbound;  // stages of the stream that starts at this end, and of the other one
  scratch<int> late_stage, late_micro_batch;  // weight halves that wait, first in, first out
  int f[2] = {}, b[2] = {};  // micro-batches done of the outbound and of the inbound stream
  int delayed = 0, caught_up = 0;
  bool splits = false;  // whether the next backwards give only the gradients of the inputs

  constexpr dual_pipe_rank(Sink& to, const shape& s, int out_stage, int in_stage, int most_late)
      : sink(to),
        sizes(s),
        outbound(out_stage),
        inbound(in_stage),
        late_stage(most_late),
        late_micro_batch(most_late) {}

  constexpr int next(int stage, int (&done)[2]) {
    return sizes.first_micro_batch(stage) + done[stage == outbound ? 0 : 1]++;
  }
  constexpr void forward(int stage) { sink.forward(stage, next(stage, f)); }
  constexpr void backward(int stage) {
    const int m = next(stage, b);
    if (!splits) return sink.backward(stage, m);
    sink.backward_input(stage, m);
    late_stage.at[delayed] = stage;
    late_micro_batch.at[delayed++] = m;
  }
  constexpr void weight() {
    sink.backward_weight(late_stage.at[caught_up], late_micro_batch.at[caught_up]);
    ++caught_up;
  }
  constexpr void overlap(int f_stage, int b_stage) {
    const int m = next(f_stage, f);
    sink.overlap(f_stage, m, b_stage, next(b_stage, b));
  }

  // `r` counts from the rank's end, `ranks` to the middle; `count` micro-batches per stream.
  constexpr void run(int r, int ranks, int count) {
    const int inner = ranks - 1 - r, outer = r + 1;
    for (int k = 0; k < 2 * inner; ++k) forward(outbound);
    for (int k = 0; k < outer; ++k) {
      forward(outbound);
      forward(inbound);
    }
    splits = true;
    for (int k = 0; k < inner; ++k) {
      backward(inbound);
      weight();
      forward(inbound);
    }
    splits = false;
    for (int k = 0; k < count - 2 * ranks + outer; ++k) {
      if (k == 0 && inner == 0) {  // in the middle, this backward waits for this forward
        forward(outbound);
        backward(inbound);
      } else {
        overlap(outbound, inbound);
      }
      overlap(inbound, outbound);
    }
    for (int k = 0; k < inner; ++k) {
      backward(inbound);
      overlap(inbound, outbound);
    }
    for (int k = 0; k < 2 * outer; ++k) {  // the second half of these is split
      if (k == outer) splits = true;
      backward(k % 2 == 0 ? inbound : outbound);
    }
    for (int k = 0; k < inner; ++k) {
      weight();
      backward(outbound);
    }
    for (int k = 0; k < outer; ++k) weight();
  }
};

}  // namespace backstitch::detail
