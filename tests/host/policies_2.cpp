// Policies that split the backward.
#include "host/policies.hpp"

namespace bs = backstitch;

TEST_CASE("split_backwards_in_order") {
  using policies::sums;
  policies::check<bs::zero_bubble_1p<1>, 4, 8>(sums::in_order);
  policies::check<bs::zero_bubble_1p<1>, 3, 1>(sums::in_order);
  policies::check<bs::zero_bubble_1p<2>, 4, 4>(sums::in_order);
  policies::check<bs::zero_bubble_h1, 3, 5>(sums::reordered);
  policies::check<bs::zero_bubble_2p, 3, 6>(sums::in_order);
  policies::check<bs::group_interleaved<2, 1>, 4, 5>(sums::in_order);
  policies::check<bs::v_min, 4, 4>(sums::in_order);
  policies::check<bs::zbv, 4, 4>(sums::in_order);
  policies::check<bs::zbv, 2, 1>(sums::in_order);
  policies::check<bs::vpp_split_backward<2>, 4, 2>(sums::in_order);
  policies::check<bs::dual_pipe_v, 4, 5>(sums::reordered);
}
