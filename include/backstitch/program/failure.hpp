// What can go wrong while a step runs: one family of exceptions, thrown by an engine's `step()` on
// the caller's thread. Each names what, where and when.
#pragma once

#include "backstitch/model/role.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace backstitch {

// The base of all of them.
struct engine_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Where an op stands in the model and in the run.
struct op_position {
  int rank = 0;                        // the thread or process
  int stage = 0;                       // the stage of the op
  op_group group = op_group::forward;  // the role of the op
  std::string_view op;                 // the op type's name; static storage
  std::size_t micro_batch = 0;         // the micro-batch that it worked on
  std::size_t step = 0;                // steps before this one
};

// A message that a rank was waiting for when it was stopped.
struct awaited_message {
  int rank = 0;                 // who waits
  int peer = 0;                 // who owes: the sender, or the receiver whose slot is not free yet
  std::string_view variable;    // the variable's name; static storage
  std::size_t micro_batch = 0;  // whose value it is
  bool sending = false;         // the rank wants to send; else it wants to receive
};

// All of it, as a phrase for messages.
inline std::string to_string(const op_position& p) {
  return "op '" + std::string(p.op) + "' (" + group_name(p.group) + ") on rank " +
         std::to_string(p.rank) + ", stage " + std::to_string(p.stage) + ", micro-batch " +
         std::to_string(p.micro_batch) + ", step " + std::to_string(p.step);
}

// Who waits for what, as a phrase for messages.
inline std::string to_string(const awaited_message& w) {
  return "rank " + std::to_string(w.rank) + (w.sending ? " waits to send '" : " waits for '") +
         std::string(w.variable) + "' of micro-batch " + std::to_string(w.micro_batch) +
         (w.sending ? " to rank " : " from rank ") + std::to_string(w.peer);
}

// An op threw. The op's own exception is nested: std::rethrow_if_nested gives it back.
struct op_failure : engine_error {
  // `why` is what the op threw.
  op_failure(op_position where, const std::string& why)
      : engine_error("backstitch: " + to_string(where) + " failed: " + why), position(where) {}
  op_position position;  // the op that threw
};

// A step took longer than the engine's deadline. Names every message that a rank was waiting for;
// a rank that waits for none was inside an op.
struct deadline_exceeded : engine_error {
  // At a step, with what was awaited when it was stopped.
  deadline_exceeded(std::size_t at_step, std::vector<awaited_message> messages)
      : engine_error(describe(at_step, messages)), step(at_step), awaited(std::move(messages)) {}
  std::size_t step;                      // the step that took too long
  std::vector<awaited_message> awaited;  // one per rank that waited

 private:
  static std::string describe(std::size_t at_step, const std::vector<awaited_message>& messages) {
    std::string text = "backstitch: step " + std::to_string(at_step) + " missed its deadline: ";
    if (messages.empty()) return text + "no rank was waiting for a message when it was stopped";
    for (std::size_t i = 0; i < messages.size(); ++i) {
      text += (i == 0 ? "" : "; ") + to_string(messages[i]);
    }
    return text;
  }
};

// The engine failed before and runs no more steps. Values may still be read.
struct engine_dead : engine_error {
  // `first_failure` is the message of the exception that ended it.
  explicit engine_dead(const std::string& first_failure)
      : engine_error("backstitch: the engine is dead since an earlier step failed: " +
                     first_failure) {}
};

// A stage, micro-batch or rank number outside the plan.
struct out_of_plan : engine_error {
  using engine_error::engine_error;
};

}  // namespace backstitch
