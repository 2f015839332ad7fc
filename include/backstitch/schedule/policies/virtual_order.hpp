// The order in which interleaved schedules walk through micro-batches and the chunks of a rank.
#pragma once

#include "backstitch/schedule/policies/size_rules.hpp"
#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/shape.hpp"

namespace backstitch::detail {

// Groups of micro-batches; within a group the first chunk takes all of it, then the second one. The
// last group may be smaller. arXiv 2104.04473.
struct virtual_order {
  int micro_batches;
  int chunks;
  int group;  // micro-batches per group

  constexpr int count() const { return chunks * micro_batches; }
  constexpr int first_of_group(int i) const { return i / (chunks * group) * group; }
  constexpr int size_of_group(int first) const {
    return micro_batches - first < group ? micro_batches - first : group;
  }
  // The micro-batch of step i.
  constexpr int micro_batch(int i) const {
    const int first = first_of_group(i);
    return first + (i - first * chunks) % size_of_group(first);
  }
  // The chunk of step i going forward, and going back.
  constexpr int chunk(int i) const {
    const int first = first_of_group(i);
    return (i - first * chunks) / size_of_group(first);
  }
  constexpr int chunk_back(int i) const { return chunks - 1 - chunk(i); }
};

// PyTorch's groups: as many as M holds ranks, all of one size. Their number changes with M, so the
// nearest legal M need not be a multiple of the factor that M missed.
constexpr int groups_of_about_r(int micro_batches, int ranks) {
  return micro_batches / ranks > 1 ? micro_batches / ranks : 1;
}
constexpr bool groups_are_equal(int micro_batches, int ranks) {
  return micro_batches >= 1 && micro_batches % groups_of_about_r(micro_batches, ranks) == 0;
}
constexpr precondition check_equal_groups(int micro_batches, int ranks) {
  if (micro_batches < 1) return {size_rule::micro_batches_at_least, 1, micro_batches, 1};
  if (groups_are_equal(micro_batches, ranks)) return {};
  // Multiples of R are legal, so this ends.
  int away = 1;
  while (!groups_are_equal(micro_batches + away, ranks) &&
         !groups_are_equal(micro_batches - away, ranks)) {
    ++away;
  }
  const bool above = groups_are_equal(micro_batches + away, ranks);
  return {size_rule::micro_batches_multiple_of, groups_of_about_r(micro_batches, ranks),
          micro_batches, above ? micro_batches + away : micro_batches - away};
}

// Megatron-LM's groups: of a size that the user chooses, R or more, the last one too.
constexpr bool groups_are_full(int micro_batches, int ranks, int group) {
  const int last = micro_batches % group;
  return ranks <= group && group <= micro_batches && (last == 0 || last >= ranks);
}
constexpr precondition check_full_groups(int micro_batches, int ranks, int group) {
  if (group >= ranks && micro_batches < ranks) {
    return {size_rule::micro_batches_at_least, group, micro_batches, group};
  }
  if (group < ranks) {
    int nearest = ranks;
    while (nearest < micro_batches && !groups_are_full(micro_batches, ranks, nearest)) ++nearest;
    return {size_rule::group_at_least, ranks, group, nearest};
  }
  if (group > micro_batches) {
    return {size_rule::group_at_most, micro_batches, group, micro_batches};
  }
  if (groups_are_full(micro_batches, ranks, group)) return {};
  // The last group is too small: fill it up to R, or leave it out.
  const int last = micro_batches % group;
  return {size_rule::last_group_at_least, ranks, last,
          ranks - last <= last ? micro_batches - last + ranks : micro_batches - last};
}

}  // namespace backstitch::detail
