// EXPECT: deadlock<crossed, on_rank<0>, at_slot<1>, in_stage<0>, for_micro_batch<0>, waiting<0, 1>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct crossed {
  static constexpr int min_micro_batches(int) { return 1; }
  template <class Sink>
  static constexpr void generate(bs::shape s, int rank, Sink& sink) {
#ifdef BACKSTITCH_FAULT
    // Rank 0 wants its gradient before it has sent what rank 1 waits for.
    if (rank == 1) sink.forward(rank, 1);
#else
    if (rank == 1) sink.forward(rank, 0);
#endif
    if (rank == 0) {
      sink.forward(rank, 0);
      sink.backward(rank, 0);
      sink.forward(rank, 1);
      sink.backward(rank, 1);
      return;
    }
#ifdef BACKSTITCH_FAULT
    sink.forward(rank, 0);
    sink.backward(rank, 0);
#else
    sink.backward(rank, 0);
    sink.forward(rank, 1);
#endif
    sink.backward(rank, 1);
    static_cast<void>(s);
  }
};

using plan = bs::schedule<crossed, bs::ranks<2>, bs::micro_batches<2>>;
static_assert(sizeof(plan) != 0);
