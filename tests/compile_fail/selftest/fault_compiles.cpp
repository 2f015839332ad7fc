// EXPECT: rule<4>
// COMPLAINT: the fault compiles
#include "rule.hpp"

#ifdef BACKSTITCH_FAULT
using verdict = require<rule<3>>::type;
#endif
