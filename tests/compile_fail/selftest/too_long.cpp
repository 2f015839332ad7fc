// EXPECT: rule<4>
// COMPLAINT: lines of output, more than 1
// Different templates, since g++ folds a recursion into one line.
#include "rule.hpp"

template <class T>
using check = int[sizeof(T)];

template <int N>
struct a {
  using checked = check<require<rule<N>>>;
};
template <int N>
struct b {
  using checked = check<a<N>>;
};
template <int N>
struct c {
  using checked = check<b<N>>;
};
template <int N>
struct d {
  using checked = check<c<N>>;
};
template <int N>
struct e {
  using checked = check<d<N>>;
};
template <int N>
struct f {
  using checked = check<e<N>>;
};
template <int N>
struct g {
  using checked = check<f<N>>;
};
template <int N>
struct h {
  using checked = check<g<N>>;
};
#ifdef BACKSTITCH_FAULT
static_assert(sizeof(h<4>) != 0);
#else
static_assert(sizeof(h<3>) != 0);
#endif
