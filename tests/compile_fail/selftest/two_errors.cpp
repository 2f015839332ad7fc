// EXPECT: rule<4>
// COMPLAINT: 2 error lines instead of one
#include "rule.hpp"

#ifdef BACKSTITCH_FAULT
using verdict = require<rule<4>>::type;
using second = require<rule<4>>::type;
static_assert(false);
#else
using verdict = require<rule<3>>::type;
#endif
