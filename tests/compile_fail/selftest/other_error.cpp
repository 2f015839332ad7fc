// EXPECT: rule<4>
// COMPLAINT: the first error line names '', EXPECT says 'rule<4>'
// The line that matches is the second one.
#include "rule.hpp"

#ifdef BACKSTITCH_FAULT
missing_type x;
using verdict = require<rule<4>>::type;
#else
using verdict = require<rule<3>>::type;
#endif
