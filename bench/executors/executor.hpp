// What the measuring programs know of an executor.
#pragma once

#include "arithmetic.hpp"

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace executors {

// What is left after some steps; all executors must leave the same bits.
struct values {
  vec w[stage_count];
  vec b[stage_count];
  std::vector<float> loss;  // of the last step, per micro-batch
};

class executor {
 public:
  executor() = default;
  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;
  virtual ~executor() = default;

  // One step is micro-batches x stages forwards and as many backwards, then the update.
  virtual void run(std::size_t steps) = 0;
  virtual values read() const = 0;
};

inline constexpr int micro_batch_counts[] = {8, 64, 512};

// The executor template for a number of micro-batches from the list above, or null.
template <template <int> class Executor>
std::unique_ptr<executor> make_executor(int micro_batches) {
  static_assert(std::size(micro_batch_counts) == 3);
  if (micro_batches == micro_batch_counts[0]) {
    return std::make_unique<Executor<micro_batch_counts[0]>>();
  }
  if (micro_batches == micro_batch_counts[1]) {
    return std::make_unique<Executor<micro_batch_counts[1]>>();
  }
  if (micro_batches == micro_batch_counts[2]) {
    return std::make_unique<Executor<micro_batch_counts[2]>>();
  }
  return nullptr;
}

// Each in its own translation unit.
std::unique_ptr<executor> make_compiled(int micro_batches);
std::unique_ptr<executor> make_by_hand(int micro_batches);
std::unique_ptr<executor> make_unrolled(int micro_batches);
std::unique_ptr<executor> make_table_switch(int micro_batches);
std::unique_ptr<executor> make_table_pointers(int micro_batches);
std::unique_ptr<executor> make_interpreter(int micro_batches);
std::unique_ptr<executor> make_threads(int micro_batches);

struct named_executor {
  std::string_view name;
  std::unique_ptr<executor> (*make)(int micro_batches);
};
// Those that run on one thread, in the order of the report.
inline constexpr named_executor measured[] = {
    {"compiled", make_compiled},
    {"by_hand", make_by_hand},
    {"unrolled", make_unrolled},
    {"table_switch", make_table_switch},
    {"table_pointers", make_table_pointers},
    {"interpreter", make_interpreter},
};
// The library's engine as users run it, a thread per rank: the reference for the values.
inline constexpr named_executor reference{"threads", make_threads};

}  // namespace executors
