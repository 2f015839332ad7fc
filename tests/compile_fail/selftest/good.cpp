// EXPECT: no type named .accepted. in .(struct )?rule<4>
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
