// EXPECT: op_not_in_plan<unused>
#include "backstitch/backstitch.hpp"

#include "lookup_model.hpp"

int main() {
#ifdef BACKSTITCH_FAULT
  bs::host::engine<plan>{}.op<unused>();
#else
  bs::host::engine<plan>{}.op<use>();
#endif
}
