#include <backstitch/version.hpp>

#include <cstdio>
#include <cstdlib>

static_assert(backstitch::version == BACKSTITCH_VERSION);

int main(int argc, char** argv) {
  if (argc != 4) return EXIT_FAILURE;
  int const expected = 10000 * std::atoi(argv[1]) + 100 * std::atoi(argv[2]) + std::atoi(argv[3]);
  std::printf("version.hpp says %d, CMake says %d\n", BACKSTITCH_VERSION, expected);
  return BACKSTITCH_VERSION == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
