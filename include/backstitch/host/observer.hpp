// What an engine can be watched by: a type whose hooks the ranks call as they run.
//
// The default watches nothing and costs no instruction. Hooks of one rank are called on that rank's
// thread; hooks of different ranks run at the same time. Template arguments are numbers of the
// plan: an op, an edge, a use of a variable by a stage.
#pragma once

#include <cstddef>

namespace backstitch::host {

// The hooks, each with nothing to do. The argument is the micro-batch.
struct no_observer {
  // An op is about to run.
  template <class Plan, int Rank, int Op>
  void before_op(std::size_t /*micro_batch*/) {}
  // It has run, without an exception.
  template <class Plan, int Rank, int Op>
  void after_op(std::size_t /*micro_batch*/) {}
  // The value is about to leave its stage; it may now be read by the receiving one.
  template <class Plan, int Rank, int Edge>
  void sent(std::size_t /*micro_batch*/) {}
  // The value has arrived, or may now be read in place.
  template <class Plan, int Rank, int Edge>
  void received(std::size_t /*micro_batch*/) {}
  // The last reader of the value is done; its slot is about to be free.
  template <class Plan, int Rank, int Use>
  void released(std::size_t /*micro_batch*/) {}
};

}  // namespace backstitch::host
