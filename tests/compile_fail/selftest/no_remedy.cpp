// EXPECT: rule<4>
// COMPLAINT: no line shows the remedy
template <int N>
struct rule {};
template <>
struct rule<3> {
  using accepted = int;
};
template <class Rule>
struct require {
  using type = typename Rule::accepted;
};
#ifdef BACKSTITCH_FAULT
using verdict = require<rule<4>>::type;
#else
using verdict = require<rule<3>>::type;
#endif
