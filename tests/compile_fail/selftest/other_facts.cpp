// EXPECT: rule<5>
// COMPLAINT: the first error line names 'rule<4>', EXPECT says 'rule<5>'
#include "rule.hpp"

#ifdef BACKSTITCH_FAULT
using verdict = require<rule<4>>::type;
#else
using verdict = require<rule<3>>::type;
#endif
