// The command line. In a file of its own, because the parser takes as long to compile as the model.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

namespace digits {

struct options {
  int epochs = 50;
  std::string schedule = "one_f_one_b";
  std::string data = DIGITS_DATA;
};

struct usage_error : std::runtime_error {
  using runtime_error::runtime_error;
};

// Empty when help was asked for and printed. Throws usage_error.
std::optional<options> parse_options(int argc, const char* const* argv);

}  // namespace digits
