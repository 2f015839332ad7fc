// EXPECT: stage_needed<idle>
#include "backstitch/backstitch.hpp"

#include "lookup_model.hpp"

int main() {
#ifdef BACKSTITCH_FAULT
  bs::host::engine<plan>{}.op<idle>();
#else
  bs::host::engine<plan>{}.op<idle, 1>();
#endif
}
