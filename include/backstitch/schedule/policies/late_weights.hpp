// The frame of the zero-bubble family: warm-up forwards, then a forward, the input half of a
// backward and the weight half of an earlier one in turn, then what is left of each.
#pragma once

namespace backstitch::detail {

// Calls forward(i), input(i) and weight(i) for i = 0 .. count-1 each; weight(i) comes `late` steps
// after input(i). O(count + late).
template <class Forward, class Input, class Weight>
constexpr void with_late_weights(int warm_up, int late, int count, Forward forward, Input input,
                                 Weight weight) {
  const int first = warm_up < count ? warm_up : count;
  for (int i = 0; i < first; ++i) forward(i);
  for (int i = 0; i < count + late; ++i) {
    if (first + i < count) forward(first + i);
    if (i < count) input(i);
    if (i >= late) weight(i - late);
  }
}

}  // namespace backstitch::detail
