// What stands in for the network: values from one stage to the next, first in, first out. Never
// blocks, since the stages run on one thread in an order that sends before it receives.
#pragma once

#include "../arithmetic.hpp"

#include <cstddef>
#include <stdexcept>

namespace executors::interpreter {

class channel {
 public:
  void send(const vec& v) {
    if (sent_ - received_ == capacity) throw std::logic_error("a message would wait for its slot");
    ring_[sent_++ % capacity] = v;
  }
  void receive(vec& v) {
    if (sent_ == received_) throw std::logic_error("a message would be waited for");
    v = ring_[received_++ % capacity];
  }

 private:
  static constexpr std::size_t capacity = stage_count;
  vec ring_[capacity];
  std::size_t sent_ = 0;
  std::size_t received_ = 0;
};

}  // namespace executors::interpreter
