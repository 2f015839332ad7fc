#include "options.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdio>
#include <optional>
#include <string>
#include <system_error>

namespace digits {
namespace {

constexpr int most_epochs = 10'000;

// Empty when the text is fine, else the complaint.
std::string check_epochs(const std::string& text) {
  int epochs = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, epochs);
  if (error == std::errc{} && stop == end && epochs >= 1 && epochs <= most_epochs) return {};
  return "expected a whole number from 1 to " + std::to_string(most_epochs) + ", found '" + text +
         "'";
}

std::string check_file_name(const std::string& text) {
  return text.empty() ? "expected the name of a file, found ''" : "";
}

}  // namespace

std::optional<options> parse_options(int argc, const char* const* argv) {
  options chosen;
  CLI::App app{"Trains a four-stage pipeline to read handwritten digits.", "digits"};
  app.add_option("--epochs", chosen.epochs, "How often each training row is seen")
      ->check(CLI::Validator{check_epochs, "1.." + std::to_string(most_epochs)})
      ->capture_default_str();
  app.add_option("--schedule", chosen.schedule, "Order of forwards and backwards on each rank")
      ->check(CLI::IsMember{{"f_then_b", "one_f_one_b", "one_f_one_b_clamped"}})
      ->capture_default_str();
  app.add_option("--data", chosen.data, "CSV file (default: examples/data/digits.csv)")
      ->check(CLI::Validator{check_file_name, ""});
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw usage_error{error.what() + std::string{" (--help lists the options)"}};
  }
  return chosen;
}

}  // namespace digits
