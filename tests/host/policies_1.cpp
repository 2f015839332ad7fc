// Policies with one or several stages per rank and whole backwards.
#include "host/policies.hpp"

namespace bs = backstitch;

TEST_CASE("whole_backwards_in_order") {
  using policies::sums;
  policies::check<bs::eager_one_f_one_b, 3, 6>(sums::in_order);
  policies::check<bs::interleaved<2>, 4, 4>(sums::in_order);
  policies::check<bs::interleaved<2>, 2, 3>(sums::in_order);
  policies::check<bs::interleaved<2, 3>, 4, 5>(sums::in_order);
  policies::check<bs::vpp<2>, 4, 4>(sums::in_order);
  policies::check<bs::fused<bs::zbv>, 4, 5>(sums::in_order);
}

TEST_CASE("whole_backwards_in_another_order") {
  using policies::sums;
  policies::check<bs::looped_bfs<2>, 4, 5>(sums::reordered);
  policies::check<bs::seq_one_f_one_b<2>, 3, 3>(sums::reordered);
}
