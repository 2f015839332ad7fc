// EXPECT: not_a_policy<count_only>
#include "backstitch/backstitch.hpp"

#include "lookup_model.hpp"

#ifdef BACKSTITCH_FAULT
struct count_only {
  static constexpr int min_micro_batches(int) { return 1; }
};
using mine = bs::plan<model, count_only, bs::micro_batches<2>>;
static_assert(sizeof(mine) != 0);
#else
using mine = bs::plan<model, bs::one_f_one_b, bs::micro_batches<2>>;
static_assert(sizeof(mine) != 0);
#endif
