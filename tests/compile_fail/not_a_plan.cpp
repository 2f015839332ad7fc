// EXPECT: no type named .accepted. in .(struct )?backstitch::error::not_a_plan<.*pipeline<
#include "backstitch/backstitch.hpp"

#include "lookup_model.hpp"

int main() {
#ifdef BACKSTITCH_FAULT
  bs::host::engine<model>{}.step();
#else
  bs::host::engine<plan>{}.step();
#endif
}
