// Generated lists in the notation of tests/golden.
#pragma once

#include "backstitch/schedule/action.hpp"

#include <string>
#include <vector>

namespace notation {

// How a family of files numbers what it runs.
struct style {
  int stages_of_copy = 0;         // 0: one copy of the model; else later copies are written `r`
  int micro_batches_of_copy = 0;  // 0: micro-batches are numbered on over the copies
  int splits = 0;                 // 0: none; else a micro-batch is written `<micro-batch>.<split>`
};

inline std::string text(const backstitch::action& a, const style& s) {
  const bool reversed = s.stages_of_copy > 0 && a.stage >= s.stages_of_copy;
  int stage = a.stage, m = a.micro_batch;
  if (reversed) stage -= s.stages_of_copy;
  if (reversed) m -= s.micro_batches_of_copy;
  std::string out = std::to_string(stage) + backstitch::action_name(a.kind);
  out += std::to_string(s.splits > 0 ? m / s.splits : m);
  if (s.splits > 0) out += '.' + std::to_string(m % s.splits);
  return reversed ? out + 'r' : out;
}

// Work only. Neighbours of one group are an overlapped pair.
inline std::string text(const std::vector<backstitch::action>& list, const style& s = {}) {
  std::string out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool first =
        list[i].group >= 0 && i + 1 < list.size() && list[i + 1].group == list[i].group;
    const bool second = list[i].group >= 0 && i > 0 && list[i - 1].group == list[i].group;
    if (!out.empty()) out += second ? ';' : ',';
    if (first && !second) out += '(';
    out += text(list[i], s);
    if (second) out += ")OVERLAP_F_B";
  }
  return out;
}

}  // namespace notation
