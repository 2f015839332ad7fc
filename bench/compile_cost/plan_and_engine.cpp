// A plan of STAGES stages and MICRO_BATCHES micro-batches; with WITH_ENGINE also its host engine.
#include "stages.hpp"

#ifdef BACKSTITCH_MICRO_BATCHES  // the test of the code's size
#define MICRO_BATCHES BACKSTITCH_MICRO_BATCHES
#define STAGES 8
#define WITH_ENGINE
#endif

#ifdef WITH_ENGINE
#include "backstitch/host/engine.hpp"
#endif

using plan = backstitch::plan<cost::model<STAGES>, backstitch::one_f_one_b,
                              backstitch::micro_batches<MICRO_BATCHES>>;

int main() {
#ifdef WITH_ENGINE
  backstitch::host::engine<plan> engine;
  engine.run(2);
  return engine.get<cost::w<0>>()[0] > 1e9f;
#else
  return plan::peak_in_flight(0) != STAGES;
#endif
}
