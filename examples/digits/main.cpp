// Trains the pipeline of model.hpp on host threads, and shows that the schedule changes no bit.
//
//   data file --> engine under the schedule of your choice --> test accuracy
//             --> plain loop on one thread ------------------> the same parameters, bit by bit?
//             --> engine under another schedule -------------> the same parameters, bit by bit?
#include <backstitch/backstitch.hpp>
#include <backstitch/host/engine.hpp>
#include <backstitch/report/grid.hpp>

#include "data.hpp"
#include "model.hpp"
#include "options.hpp"
#include "sequential.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>

namespace digits {
namespace {

template <class Policy>
using plan_of = bs::plan<model, Policy, bs::micro_batches<micro_batches>>;
template <class Policy>
using engine_of = bs::host::engine<plan_of<Policy>>;

template <class Plan>
void print_plan(const std::string& schedule) {
  std::printf("model     %d pixels", width[0]);
  for (int layer = 1; layer <= layers; ++layer) std::printf(" -> %d", width[layer]);
  std::printf(" classes, a stage per arrow, a thread per stage\n");
  std::printf("step      %d micro-batches of %d rows\n", micro_batches, rows);
  std::printf("schedule  %s\n\n%s\n", schedule.c_str(), bs::report::to_grid<Plan>().c_str());
  std::printf("micro-batches in flight, at most:");
  for (int rank = 0; rank < static_cast<int>(Plan::ranks); ++rank) {
    std::printf("  rank %d: %d", rank, static_cast<int>(Plan::peak_in_flight(rank)));
  }
  std::printf("\nideal bubble: %.1f %% of the step\n\n", 100 * Plan::ideal_bubble());
}

// An epoch ends with the step that shows the last of its rows.
std::size_t steps_until(int epoch, std::size_t examples) {
  constexpr std::size_t rows_per_step = std::size_t{rows} * micro_batches;
  return (static_cast<std::size_t>(epoch) * examples + rows_per_step - 1) / rows_per_step;
}

// One step, then what its loss op left for each micro-batch.
template <class Engine>
void step_and_add(Engine& engine, double& loss, double& right) {
  engine.step();
  for (std::size_t m = 0; m < micro_batches; ++m) {
    loss += double{engine.template get<mean_loss>(m)} / micro_batches;
    right += double(engine.template get<hits>(m)) / (micro_batches * rows);
  }
}

template <class Engine>
void train(Engine& engine, const dataset& data, int epochs) {
  const auto tester = std::make_unique<sequential>();
  const auto begin = std::chrono::steady_clock::now();
  double on_test = 0;
  std::size_t steps = 0;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    double loss = 0;
    double right = 0;
    const auto before = steps;
    for (; steps < steps_until(epoch, data.train.size()); ++steps) {
      step_and_add(engine, loss, right);
    }
    const auto count = static_cast<double>(steps - before);
    on_test = tester->accuracy(engine, data.test);
    std::printf("epoch %3d  loss %.4f  training accuracy %6.2f %%  test accuracy %6.2f %%\n", epoch,
                loss / count, 100 * right / count, 100 * on_test);
    std::fflush(stdout);
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  std::printf("\nfinal test accuracy %.2f %%, trained in %.1f s\n\n", 100 * on_test,
              elapsed.count());
}

template <class Engine, class Other>
bool same_bits(Engine& engine, Other& other, const std::string& what) {
  const int different = count_different(engine, other, trained{});
  if (different == 0) {
    std::printf("final parameters bit-identical to %s\n", what.c_str());
  } else {
    std::printf("final parameters DIFFER from %s in %d arrays\n", what.c_str(), different);
  }
  return different == 0;
}

template <class Policy, class OtherPolicy>
int run(const options& chosen, const dataset& data, const std::string& other_schedule) {
  print_plan<plan_of<Policy>>(chosen.schedule);

  const auto engine = std::make_unique<engine_of<Policy>>();
  engine->template op<load>().stream = row_stream{data.train};
  train(*engine, data, chosen.epochs);

  const auto steps = steps_until(chosen.epochs, data.train.size());
  const auto loop = std::make_unique<sequential>();
  loop->loader().stream = row_stream{data.train};
  for (std::size_t step = 0; step < steps; ++step) loop->step();
  const bool as_loop = same_bits(*engine, *loop, "the sequential loop");

  const auto other = std::make_unique<engine_of<OtherPolicy>>();
  other->template op<load>().stream = row_stream{data.train};
  other->run(steps);
  const bool as_other = same_bits(*engine, *other, other_schedule);
  return as_loop && as_other ? 0 : 1;
}

int run(const options& chosen) {
  const auto data = read_dataset(chosen.data);
  if (chosen.schedule == "f_then_b") {
    return run<bs::f_then_b, bs::one_f_one_b>(chosen, data, "one_f_one_b");
  }
  if (chosen.schedule == "one_f_one_b_clamped") {
    return run<bs::one_f_one_b_clamped, bs::f_then_b>(chosen, data, "f_then_b");
  }
  return run<bs::one_f_one_b, bs::f_then_b>(chosen, data, "f_then_b");
}

// One line, whatever a file name or an argument holds.
int complain(const char* what, int exit_code) {
  std::string line = what;
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
  std::fprintf(stderr, "digits: %s\n", line.c_str());
  return exit_code;
}

}  // namespace
}  // namespace digits

int main(int argc, char** argv) try {
  const auto chosen = digits::parse_options(argc, argv);
  const int exit_code = chosen ? digits::run(*chosen) : 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return digits::complain("standard output cannot be written", 1);
  }
  return exit_code;
} catch (const digits::usage_error& error) {
  return digits::complain(error.what(), 2);
} catch (const digits::data_error& error) {
  return digits::complain(error.what(), 2);
} catch (const std::exception& error) {
  return digits::complain(error.what(), 1);
}
