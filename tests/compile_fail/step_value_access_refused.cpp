// EXPECT: step_value_access_refused<count, out<seen>, forward>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct seen : bs::step_value<int> {};
struct count : bs::forward {
#ifdef BACKSTITCH_FAULT
  void operator()(bs::out<seen>) const {}
#else
  void operator()(bs::accumulate<seen> n) const { ++*n; }
#endif
};

using plan = bs::plan<bs::pipeline<bs::stage<count>>, bs::f_then_b, bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
