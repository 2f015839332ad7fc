// The loop that somebody would write for this pipeline without a library.
#include "executor.hpp"
#include "stages.hpp"

#include <cstddef>

namespace executors {
namespace {

template <int M>
struct by_hand_schedule {
  [[gnu::always_inline]] static void f0(pipeline_memory<M>& all, std::size_t m) {
    forward<0>(all, m);
  }
  [[gnu::always_inline]] static void f1(pipeline_memory<M>& all, std::size_t m) {
    forward<1>(all, m);
  }
  [[gnu::always_inline]] static void f2(pipeline_memory<M>& all, std::size_t m) {
    forward<2>(all, m);
  }
  [[gnu::always_inline]] static void f3(pipeline_memory<M>& all, std::size_t m) {
    forward<3>(all, m);
  }
  [[gnu::always_inline]] static void b0(pipeline_memory<M>& all, std::size_t m) {
    backward<0>(all, m);
  }
  [[gnu::always_inline]] static void b1(pipeline_memory<M>& all, std::size_t m) {
    backward<1>(all, m);
  }
  [[gnu::always_inline]] static void b2(pipeline_memory<M>& all, std::size_t m) {
    backward<2>(all, m);
  }
  [[gnu::always_inline]] static void b3(pipeline_memory<M>& all, std::size_t m) {
    backward<3>(all, m);
  }

  static void run(pipeline_memory<M>& all) {
    // warm-up
    f0(all, 0);
    f1(all, 0);
    f2(all, 0), f0(all, 1);
    f3(all, 0), f1(all, 1);
    b3(all, 0), f2(all, 1), f0(all, 2);
    f3(all, 1), b2(all, 0), f1(all, 2);
    // steady
    for (std::size_t k = 3; k < M; ++k) {
      b3(all, k - 2), f2(all, k - 1), b1(all, k - 3), f0(all, k);
      f3(all, k - 1), b2(all, k - 2), f1(all, k), b0(all, k - 3);
    }
    // cool-down
    b3(all, M - 2), f2(all, M - 1), b1(all, M - 3);
    f3(all, M - 1), b2(all, M - 2), b0(all, M - 3);
    b3(all, M - 1), b1(all, M - 2);
    b2(all, M - 1), b0(all, M - 2);
    b1(all, M - 1);
    b0(all, M - 1);
  }
};

template <int M>
using by_hand = plain_executor<M, by_hand_schedule<M>>;

}  // namespace

std::unique_ptr<executor> make_by_hand(int micro_batches) {
  return make_executor<by_hand>(micro_batches);
}

}  // namespace executors
