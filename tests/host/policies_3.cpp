// Policies that run several copies of the model: each copy sums its own micro-batches, the sums are
// added up before the update, and all copies stay alike.
#include "host/policies.hpp"

namespace bs = backstitch;

TEST_CASE("several_copies_train_like_one") {
  using policies::sums;
  policies::check<bs::dual_pipe, 2, 4>(sums::reordered);
  policies::check<bs::dual_pipe, 4, 8>(sums::reordered);
  policies::check<bs::chimera<2>, 4, 4>(sums::reordered);
  policies::check<bs::chimera<4>, 4, 4>(sums::reordered);
}

// A value set between steps counts for every copy.
TEST_CASE("what_is_set_through_the_engine_holds_for_all_copies") {
  using plan = bs::plan<chain::model<2>, bs::chimera<2>, bs::micro_batches<4>>;
  bs::host::engine<plan> changed;
  chain::sequential loop(2, 4);
  for (int step = 0; step < 3; ++step) {
    for (std::size_t i = 0; i < chain::width; ++i) {
      changed.get<chain::w<1>>()[i] = loop.w[1][i] = 0.5f + 0.25f * static_cast<float>(step);
    }
    changed.step();
    loop.step();
    policies::check_row(changed.get<chain::dw<0>>(), loop.dw[0], policies::sums::reordered, 4);
    policies::check_row(changed.get<chain::w<1>>(), loop.w[1], policies::sums::reordered, 4);
  }
}
