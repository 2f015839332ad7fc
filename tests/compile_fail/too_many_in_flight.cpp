// EXPECT: too_many_in_flight<by_hand, on_rank<0>, at_most<1>, got<2>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct by_hand {
  static constexpr int max_in_flight(bs::shape, int) { return 1; }
  template <class Sink>
  static constexpr void generate(bs::shape s, int rank, Sink& sink) {
#ifdef BACKSTITCH_FAULT
    for (int m = 0; m < s.micro_batches; ++m) sink.forward(rank, m);
    for (int m = 0; m < s.micro_batches; ++m) sink.backward(rank, m);
#else
    for (int m = 0; m < s.micro_batches; ++m) {
      sink.forward(rank, m);
      sink.backward(rank, m);
    }
#endif
  }
};

using checked = bs::schedule<by_hand, bs::ranks<1>, bs::micro_batches<2>>;
static_assert(sizeof(checked) != 0);
