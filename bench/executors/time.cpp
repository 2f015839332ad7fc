// Nanoseconds per step and executor. Refuses to measure executors that disagree.
#include "agreement.hpp"
#include "executor.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void measure_step(benchmark::State& state, const executors::named_executor& e, int micro_batches) {
  const auto made = e.make(micro_batches);
  for (auto _ : state) {
    made->run(1);
    benchmark::ClobberMemory();
  }
  // A forward and a backward per stage and micro-batch.
  state.SetItemsProcessed(state.iterations() * 2 * executors::stage_count * micro_batches);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return EXIT_FAILURE;
  for (int micro_batches : executors::micro_batch_counts) {
    const std::string found = executors::disagreement(executors::measured, micro_batches);
    if (!found.empty()) {
      std::fprintf(stderr, "nothing is measured: %s\n", found.c_str());
      return EXIT_FAILURE;
    }
    for (const executors::named_executor& e : executors::measured) {
      const std::string name = std::string(e.name) + "/" + std::to_string(micro_batches);
      benchmark::RegisterBenchmark(name.c_str(), [&e, micro_batches](benchmark::State& state) {
        measure_step(state, e, micro_batches);
      });
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
