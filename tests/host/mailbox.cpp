#include "backstitch/host/mailbox.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

using backstitch::host::mailbox;
using backstitch::host::wait_result;

TEST_CASE("a mailbox is empty, then full, then empty") {
  mailbox box;
  CHECK(box.wait_empty(0) == wait_result::ready);
  box.fill();
  CHECK(box.wait_full(0) == wait_result::ready);
  box.clear();
  CHECK(box.wait_empty(0) == wait_result::ready);
}

// With and without spinning, so that both the busy and the sleeping wait are crossed.
TEST_CASE("values pass one by one between two threads, in order and whole") {
  for (const int spins : {0, 2000}) {
    CAPTURE(spins);
    constexpr int count = 2000;
    mailbox box;
    int slot[16] = {};  // not atomic: the mailbox alone orders the accesses
    int torn = 0;
    std::thread consumer([&] {
      for (int i = 1; i <= count; ++i) {
        if (box.wait_full(spins) != wait_result::ready) break;
        for (int v : slot) torn += v == i ? 0 : 1;
        box.clear();
      }
    });
    int refused = 0;
    for (int i = 1; i <= count; ++i) {
      if (box.wait_empty(spins) != wait_result::ready) ++refused;
      for (int& v : slot) v = i;
      box.fill();
    }
    consumer.join();
    CHECK(torn == 0);
    CHECK(refused == 0);
  }
}

TEST_CASE("stop wakes a sleeping wait, and every later one returns at once") {
  for (const int spins : {0, 2000}) {
    mailbox box;
    wait_result answer = wait_result::ready;
    std::thread waiter([&] { answer = box.wait_full(spins); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    box.stop();
    waiter.join();
    CHECK(answer != wait_result::ready);
    CHECK(box.wait_full(spins) == wait_result::stopped);
    CHECK(box.wait_empty(spins) == wait_result::stopped);
  }
}

TEST_CASE("a stop is not lost when the owner changes the state afterwards") {
  mailbox box;
  box.stop();
  box.fill();
  CHECK(box.wait_full(0) == wait_result::stopped);
  box.clear();
  CHECK(box.wait_empty(0) == wait_result::stopped);
}
