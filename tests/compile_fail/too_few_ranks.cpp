// EXPECT: too_few_ranks<needs_two, needed<2>, got<1>>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct needs_two : bs::f_then_b {
  static constexpr bs::precondition accept(bs::shape s) {
    if (s.ranks < 2) return {bs::size_rule::ranks_at_least, 2, s.ranks, 2};
    return {};
  }
};

#ifdef BACKSTITCH_FAULT
using checked = bs::schedule<needs_two, bs::ranks<1>, bs::micro_batches<4>>;
#else
using checked = bs::schedule<needs_two, bs::ranks<2>, bs::micro_batches<4>>;
#endif
static_assert(sizeof(checked) != 0);
