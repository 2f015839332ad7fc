// The frame of the 1F1B family: warm-up forwards, then a forward and a backward in turn, then the
// backwards that are left.
#pragma once

namespace backstitch::detail {

// Calls forward(i) and backward(i) for i = 0 .. count-1 each. O(count).
template <class Forward, class Backward>
constexpr void in_pairs(int warm_up, int count, Forward forward, Backward backward) {
  const int first = warm_up < count ? warm_up : count;
  for (int i = 0; i < first; ++i) forward(i);
  for (int i = first; i < count; ++i) {
    forward(i);
    backward(i - first);
  }
  for (int i = count - first; i < count; ++i) backward(i);
}

}  // namespace backstitch::detail
