// A fixed set of threads that run one job together and then wait for the next.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace backstitch::host::detail {

class crew {
 public:
  using clock = std::chrono::steady_clock;

  // Starts `count` threads; each calls work(i) once per run(). If a thread cannot be started the
  // others are joined and the exception leaves.
  template <class Work>
  crew(int count, Work work) : count_(count) {
    threads_.reserve(static_cast<std::size_t>(count));
    try {
      for (int i = 0; i < count; ++i) {
        threads_.emplace_back([this, i, work] {
          for (unsigned seen = 0; wait_for_job(seen);) {
            work(i);
            finish();
          }
        });
      }
    } catch (...) {
      dismiss();
      throw;
    }
  }
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;
  ~crew() { dismiss(); }

  void start() {
    remaining_.store(count_, std::memory_order_relaxed);
    job_.fetch_add(1, std::memory_order_seq_cst);
    job_.notify_all();
  }

  // Waits for every thread. False: `until` came first, the job is still running.
  bool wait(std::optional<clock::time_point> until = {}) {
    if (!until) {
      for (int left; (left = remaining_.load(std::memory_order_acquire)) != 0;) {
        remaining_.wait(left, std::memory_order_acquire);
      }
      return true;
    }
    std::unique_lock lock(mutex_);
    return done_.wait_until(lock, *until,
                            [&] { return remaining_.load(std::memory_order_acquire) == 0; });
  }

 private:
  int count_;
  std::atomic<unsigned> job_{0};  // counts jobs, and the order to quit; may wrap
  std::atomic<bool> quit_{false};
  std::atomic<int> remaining_{0};
  std::mutex mutex_;
  std::condition_variable done_;
  std::vector<std::thread> threads_;

  bool wait_for_job(unsigned& seen) {
    unsigned now = job_.load(std::memory_order_acquire);
    for (; now == seen; now = job_.load(std::memory_order_acquire)) {
      job_.wait(seen, std::memory_order_acquire);
    }
    seen = now;
    return !quit_.load(std::memory_order_acquire);
  }

  void finish() {
    if (remaining_.fetch_sub(1, std::memory_order_seq_cst) != 1) return;
    const std::lock_guard lock(mutex_);
    remaining_.notify_all();
    done_.notify_all();
  }

  void dismiss() {
    quit_.store(true, std::memory_order_release);
    job_.fetch_add(1, std::memory_order_seq_cst);
    job_.notify_all();
    for (std::thread& t : threads_) t.join();
  }
};

}  // namespace backstitch::host::detail
