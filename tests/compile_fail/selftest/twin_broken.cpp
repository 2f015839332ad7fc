// EXPECT: rule<4>
// COMPLAINT: the twin without BACKSTITCH_FAULT does not compile
#include "rule.hpp"

#ifdef BACKSTITCH_FAULT
using verdict = require<rule<4>>::type;
#else
missing_type x;
#endif
