// Straight-line code: every action of the step with its micro-batch as a constant.
#include "executor.hpp"
#include "order.hpp"
#include "stages.hpp"

#include <cstddef>
#include <utility>

namespace executors {
namespace {

template <int M>
struct unrolled_schedule {
  // A function per chunk, since compilers take more than linear time over a long function.
  static constexpr int chunk_size = 64;
  static_assert(action_list<M>::count % chunk_size == 0);

  template <int I>
  [[gnu::always_inline]] static void run_action(pipeline_memory<M>& all) {
    constexpr list_action a = order_v<M>.at[I];
    constexpr auto m = static_cast<std::size_t>(a.micro_batch);
    if constexpr (a.is_forward) {
      forward<a.stage>(all, m);
    } else {
      backward<a.stage>(all, m);
    }
  }
  template <int First, int... Is>
  [[gnu::noinline]] static void run_chunk(pipeline_memory<M>& all,
                                          std::integer_sequence<int, Is...>) {
    [[maybe_unused]] const int order[] = {(run_action<First + Is>(all), 0)...};
  }
  template <int... Cs>
  static void run_chunks(pipeline_memory<M>& all, std::integer_sequence<int, Cs...>) {
    constexpr std::make_integer_sequence<int, chunk_size> all_of_chunk;
    [[maybe_unused]] const int order[] = {(run_chunk<Cs * chunk_size>(all, all_of_chunk), 0)...};
  }
  static void run(pipeline_memory<M>& all) {
    run_chunks(all, std::make_integer_sequence<int, action_list<M>::count / chunk_size>{});
  }
};

template <int M>
using unrolled = plain_executor<M, unrolled_schedule<M>>;

}  // namespace

std::unique_ptr<executor> make_unrolled(int micro_batches) {
  return make_executor<unrolled>(micro_batches);
}

}  // namespace executors
