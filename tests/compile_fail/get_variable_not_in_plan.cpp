// EXPECT: variable_not_in_plan<other>
#include "backstitch/backstitch.hpp"

#include "lookup_model.hpp"

int main() {
#ifdef BACKSTITCH_FAULT
  return bs::host::engine<plan>{}.get<other>() > 0;
#else
  return bs::host::engine<plan>{}.get<w>() > 0;
#endif
}
