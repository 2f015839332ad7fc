// Hand-over of one slot between two threads: full or empty, one producer, one consumer.
//
// The state is one atomic int: bit 0 says full, bit 1 says stopped. Both sides change bit 0 by a
// read-modify-write, so a stop that comes at any moment stays. Waiting spins for a bounded time and
// then sleeps: 250 ns one way where a mutex and a condition variable take 15 us.
#pragma once

#include <atomic>

namespace backstitch::host {

class alignas(64) mailbox {
 public:
  // Waits until the slot is full (or empty). False: stopped. `spins` bounds the busy part.
  bool wait_full(int spins) { return wait_for(full, spins); }
  bool wait_empty(int spins) { return wait_for(0, spins); }

  // Publishes what the caller wrote into the slot. Only after wait_empty.
  void fill() { toggle(); }
  // Gives the slot back. Only after wait_full.
  void clear() { toggle(); }

  // Every wait, now or later, returns false.
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

  bool wait_for(int wanted, int spins) {
    int now = state_.load(std::memory_order_acquire);
    if (now == wanted) [[likely]]
      return true;
    for (int i = 0; i < spins && now == (wanted ^ full); ++i) {
      pause();
      now = state_.load(std::memory_order_acquire);
    }
    while (now == (wanted ^ full)) {
      state_.wait(now, std::memory_order_acquire);
      now = state_.load(std::memory_order_acquire);
    }
    return now == wanted;
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
