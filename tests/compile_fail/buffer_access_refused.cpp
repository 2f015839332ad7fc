// EXPECT: buffer_access_refused<average, inout<mean>, backward>
#include "backstitch/backstitch.hpp"

namespace bs = backstitch;

struct mean : bs::buffer<float> {};
#ifdef BACKSTITCH_FAULT
struct average : bs::backward {
#else
struct average : bs::forward {
#endif
  void operator()(bs::inout<mean>) const {}
};

using plan = bs::plan<bs::pipeline<bs::stage<average>>, bs::f_then_b, bs::micro_batches<4>>;
static_assert(sizeof(plan) != 0);
