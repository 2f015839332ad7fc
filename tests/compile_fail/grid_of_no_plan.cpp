// EXPECT: not_a_plan<load>
#include "backstitch/backstitch.hpp"
#include "backstitch/report/grid.hpp"

#include "lookup_model.hpp"

int main() {
#ifdef BACKSTITCH_FAULT
  return bs::report::to_grid<load>().empty() ? 1 : 0;
#else
  return bs::report::to_grid<plan>().empty() ? 1 : 0;
#endif
}
