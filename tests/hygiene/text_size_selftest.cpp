#include <array>

// Unrolled over the number, as no code of the library may be.
extern const std::array<int, BACKSTITCH_MICRO_BATCHES> unrolled;
constexpr std::array<int, BACKSTITCH_MICRO_BATCHES> unrolled{1};
