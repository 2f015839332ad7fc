// COMPLAINT: no EXPECT line
#include "rule.hpp"

#ifdef BACKSTITCH_FAULT
using verdict = require<rule<4>>::type;
#else
using verdict = require<rule<3>>::type;
#endif
