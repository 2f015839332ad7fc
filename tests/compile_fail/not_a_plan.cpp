// EXPECT: not_a_plan<pipeline<stage<load>>>
#include "backstitch/backstitch.hpp"

#include "lookup_model.hpp"

int main() {
#ifdef BACKSTITCH_FAULT
  bs::host::engine<bs::pipeline<bs::stage<load>>>{}.step();
#else
  bs::host::engine<plan>{}.step();
#endif
}
