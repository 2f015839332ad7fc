// Runs one executor, for counting instructions, or compares all of them.
//
//   run <executor> <micro-batches> <steps>
//   run agree <micro-batches>
//   run agree_but_one_bit <micro-batches>      for the test of `agree`: has to fail
#include "agreement.hpp"
#include "executor.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>

namespace {

// Right in all but the lowest bit of the last loss.
class skewed : public executors::executor {
 public:
  explicit skewed(int micro_batches) : right_(executors::make_by_hand(micro_batches)) {}
  void run(std::size_t steps) override { right_->run(steps); }
  executors::values read() const override {
    executors::values v = right_->read();
    v.loss.back() = std::nextafter(v.loss.back(), 0.0f);
    return v;
  }

 private:
  std::unique_ptr<executors::executor> right_;
};
constexpr executors::named_executor with_one_bit_off[] = {
    {"skewed", [](int micro_batches) -> std::unique_ptr<executors::executor> {
       return std::make_unique<skewed>(micro_batches);
     }}};

int agree(std::span<const executors::named_executor> all, int micro_batches) {
  const std::string found = executors::disagreement(all, micro_batches);
  if (!found.empty()) {
    std::fprintf(stderr, "%s\n", found.c_str());
    return EXIT_FAILURE;
  }
  std::printf("%zu executors leave the same bits with %d micro-batches\n", all.size() + 1,
              micro_batches);
  return EXIT_SUCCESS;
}

int run(std::string_view name, int micro_batches, std::size_t steps) {
  for (const executors::named_executor& e : executors::measured) {
    if (e.name != name) continue;
    const auto made = e.make(micro_batches);
    if (!made) break;
    made->run(steps);
    std::printf("%a\n", static_cast<double>(made->read().loss.back()));
    return EXIT_SUCCESS;
  }
  std::fprintf(stderr, "no executor '%.*s' with %d micro-batches\n", static_cast<int>(name.size()),
               name.data(), micro_batches);
  return EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 2 ? argv[1] : "";
  const int micro_batches = argc > 2 ? std::atoi(argv[2]) : 0;
  if (name == "agree") return agree(executors::measured, micro_batches);
  if (name == "agree_but_one_bit") return agree(with_one_bit_off, micro_batches);
  return run(name, micro_batches, argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1);
}
