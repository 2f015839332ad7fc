// EXPECT: weight_before_input<by_hand, on_rank<0>, at_slot<1>, in_stage<0>, for_micro_batch<0>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct by_hand {
  static constexpr bool splits_backward = true;
  template <class Sink>
  static constexpr void generate(bs::shape s, int rank, Sink& sink) {
#ifdef BACKSTITCH_FAULT
    for (int m = 0; m < s.micro_batches; ++m) {
      sink.forward(rank, m);
      sink.backward_weight(rank, m);
      sink.backward_input(rank, m);
    }
#else
    for (int m = 0; m < s.micro_batches; ++m) {
      sink.forward(rank, m);
      sink.backward_input(rank, m);
      sink.backward_weight(rank, m);
    }
#endif
  }
};

using checked = bs::schedule<by_hand, bs::ranks<1>, bs::micro_batches<2>>;
static_assert(sizeof(checked) != 0);
