// What a user of the core alone writes first: no engine, no threads.
#include <backstitch/backstitch.hpp>

#include <cstdio>

namespace bs = backstitch;

using schedule = bs::schedule<bs::one_f_one_b, bs::ranks<4>, bs::micro_batches<8>>;

int main() { std::printf("peak %d\n", schedule::peak_in_flight(1)); }
