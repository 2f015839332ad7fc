// EXPECT: needs_micro_batch<y>
#include "backstitch/backstitch.hpp"

#include "lookup_model.hpp"

int main() {
#ifdef BACKSTITCH_FAULT
  return bs::host::engine<plan>{}.get<y>() > 0;
#else
  return bs::host::engine<plan>{}.get<y>(0) > 0;
#endif
}
