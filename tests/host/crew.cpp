#include "backstitch/host/crew.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <vector>

using backstitch::host::detail::crew;

TEST_CASE("each thread runs each job once") {
  std::vector<int> runs(4);  // one element per thread; wait() orders the reads after the writes
  crew four(4, [&](int i) { ++runs[static_cast<std::size_t>(i)]; });
  for (int job = 1; job <= 200; ++job) {
    four.start();
    CHECK(four.wait());
    for (int r : runs) CHECK(r == job);
  }
}

TEST_CASE("a deadline that passes is reported, and the job can still be waited for") {
  std::atomic<bool> go{false};
  crew one(1, [&](int) { go.wait(false); });
  one.start();
  CHECK_FALSE(one.wait(crew::clock::now() + std::chrono::milliseconds(20)));
  go = true;
  go.notify_all();
  CHECK(one.wait(crew::clock::now() + std::chrono::minutes(1)));
}

TEST_CASE("a crew that never worked ends") {
  int runs = 0;
  {
    crew idle(3, [&](int) { ++runs; });
  }
  CHECK(runs == 0);
}
