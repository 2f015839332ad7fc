#include "all_headers.hpp"

int second_unit();

int second_unit() { return 0; }
