// EXPECT: rule<4>
// COMPLAINT: the twin without BACKSTITCH_FAULT compiles, but not silently
#include "rule.hpp"

#ifdef BACKSTITCH_FAULT
using verdict = require<rule<4>>::type;
#else
#warning noise
#endif
