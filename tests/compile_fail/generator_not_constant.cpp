// EXPECT: generator_not_constant<by_hand>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct by_hand {
  template <class Sink>
#ifdef BACKSTITCH_FAULT
  static void generate(bs::shape s, int rank, Sink& sink){
#else
  static constexpr void generate(bs::shape s, int rank, Sink& sink) {
#endif
      for (int m = 0; m < s.micro_batches; ++m) {
        sink.forward(rank, m);
  sink.backward(rank, m);
}
}
}
;

using checked = bs::schedule<by_hand, bs::ranks<1>, bs::micro_batches<2>>;
static_assert(sizeof(checked) != 0);
