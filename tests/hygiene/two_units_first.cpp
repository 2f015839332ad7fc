#include "all_headers.hpp"

int second_unit();

int main() { return second_unit(); }
