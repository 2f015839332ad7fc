// Schedules of sizes that are known at run time only, for tools and tests: the same generators,
// the same data, in vectors.
#pragma once

#include "backstitch/schedule/policy.hpp"
#include "backstitch/schedule/timetable.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace backstitch {

// A shape with its tables.
class dynamic_shape {
 public:
  // Places the stages of `pipes` copies of a model.
  template <class Placement>
  static dynamic_shape of(int ranks, int stages, int micro_batches, int pipes = 1) {
    dynamic_shape s;
    s.sizes_ = {ranks, stages, micro_batches, pipes, 0, nullptr, nullptr, nullptr};
    s.rank_of_.resize(static_cast<std::size_t>(stages));
    s.count_.assign(static_cast<std::size_t>(ranks), 0);
    detail::place_stages<Placement>(ranks, stages, pipes, s.rank_of_.data(), s.count_.data(),
                                    s.sizes_.chunks);
    s.stage_of_chunk_.resize(static_cast<std::size_t>(ranks * s.sizes_.chunks));
    s.chunk_of_.resize(static_cast<std::size_t>(stages));
    detail::list_chunks(ranks, stages, s.sizes_.chunks, s.rank_of_.data(), s.count_.data(),
                        s.stage_of_chunk_.data(), s.chunk_of_.data());
    return s;
  }
  // The sizes and the tables; valid as long as this object.
  shape get() const {
    shape s = sizes_;
    s.rank_of_stage = rank_of_.data();
    s.stage_of_chunk = stage_of_chunk_.data();
    s.chunk_of_stage = chunk_of_.data();
    return s;
  }

 private:
  shape sizes_;
  std::vector<int> rank_of_, count_, stage_of_chunk_, chunk_of_;
};

// The lists of all ranks.
class dynamic_timetable {
 public:
  // Empty lists.
  explicit dynamic_timetable(int ranks) : lists_(static_cast<std::size_t>(ranks)) {}

  // Adds an action to a rank's list.
  void append(int rank, const action& a) { lists_[static_cast<std::size_t>(rank)].push_back(a); }
  // A rank's list.
  std::vector<action>& list(int rank) { return lists_[static_cast<std::size_t>(rank)]; }
  // The same, to be read.
  const std::vector<action>& list(int rank) const { return lists_[static_cast<std::size_t>(rank)]; }
  // Number of lists.
  int ranks() const { return static_cast<int>(lists_.size()); }

  // For what reads schedules; valid until a list changes.
  program_view view() const {
    count_.clear();
    list_.clear();
    for (const std::vector<action>& l : lists_) {
      count_.push_back(static_cast<int>(l.size()));
      list_.push_back(l.data());
    }
    return {ranks(), count_.data(), list_.data()};
  }

 private:
  std::vector<std::vector<action>> lists_;
  mutable std::vector<int> count_;
  mutable std::vector<const action*> list_;
};

namespace detail {

struct to_dynamic_rank {
  dynamic_timetable& table;
  int rank;
  void add(const action& a) { table.append(rank, a); }
};

}  // namespace detail

// The stages that a policy needs on `ranks` ranks, all copies together.
template <class Policy>
constexpr int stages_for(int ranks) {
  return detail::pipes_of<Policy>() > 1 ? ranks * detail::pipes_of<Policy>()
                                        : ranks * detail::chunks_of<Policy>();
}

// The shape that a policy has on `ranks` ranks. `micro_batches` counts micro-batches, whatever the
// policy cuts them into.
template <class Policy, class Placement = typename decltype(detail::placement_of<Policy>())::type>
dynamic_shape dynamic_shape_for(int ranks, int micro_batches) {
  return dynamic_shape::of<Placement>(ranks, stages_for<Policy>(ranks),
                                      micro_batches * detail::sequence_splits_of<Policy>(),
                                      detail::pipes_of<Policy>());
}

// F, B, I and W of every rank, in order. The sizes must satisfy the policy (`check_sizes`).
template <class Policy>
dynamic_timetable generate(const shape& s) {
  dynamic_timetable table(s.ranks);
  if constexpr (detail::generates_per_rank<Policy>) {
    for (int r = 0; r < s.ranks; ++r) {
      detail::to_dynamic_rank out{table, r};
      detail::sink<detail::to_dynamic_rank> sink{out};
      Policy::generate(s, r, sink);
    }
  } else {
    detail::to_owner<dynamic_timetable> out{table, s};
    detail::sink<detail::to_owner<dynamic_timetable>> sink{out};
    Policy::generate(s, sink);
  }
  return table;
}

}  // namespace backstitch
