#include <backstitch/backstitch.hpp>

namespace bs = backstitch;

int grid_lines();
int grid_lines() {
  using schedule = bs::schedule<bs::one_f_one_b, bs::ranks<4>, bs::micro_batches<8>>;
  int lines = 0;
  for (const char c : bs::report::to_grid<schedule>()) lines += c == '\n' ? 1 : 0;
  return lines;
}
