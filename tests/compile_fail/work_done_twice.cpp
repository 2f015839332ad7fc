// EXPECT: work_done_twice<by_hand, on_rank<0>, at_slot<2>, in_stage<0>, for_micro_batch<0>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct by_hand {
  static constexpr int min_micro_batches(int) { return 1; }
  template <class Sink>
  static constexpr void generate(bs::shape s, int rank, Sink& sink) {
    for (int m = 0; m < s.micro_batches; ++m) {
#ifdef BACKSTITCH_FAULT
      sink.forward(rank, 0);
      sink.backward(rank, m);
#else
      sink.forward(rank, m);
      sink.backward(rank, m);
#endif
    }
  }
};

using plan = bs::schedule<by_hand, bs::ranks<1>, bs::micro_batches<2>>;
static_assert(sizeof(plan) != 0);
