// What can be wrong with a program, and where.
#pragma once

namespace backstitch {

// The rules of a valid program, over all ranks. In the order in which they are looked for.
enum class rule : int {
  none,
  foreign_action,           // stage, micro-batch or message does not belong on this rank
  work_done_twice,          // the same work, message end, release, reduction or update again
  mixed_backward,           // B beside I or W of one micro-batch
  work_missing,             // a micro-batch lacks F, or B and both of I and W
  backward_before_forward,  // B or I before its F
  weight_before_input,      // W before its I
  bad_group,                // neither messages only nor one F and one B or I
  received_too_late,        // the message stands behind the op that needs it
  sent_too_early,           // the message stands before the op that makes it
  message_missing,          // one end of a message is not there
  update_missing,
  update_too_early,  // before the last B or W of the stage, or before its reduction
  reduce_missing,
  reduce_too_early,  // before the last backward of a copy on this rank
  release_missing,
  released_too_early,  // before the last work or send of the micro-batch
  too_many_in_flight,  // more micro-batches between F and their end than allowed
  message_order,       // the two ends of an untagged channel list its messages differently
  deadlock,            // ranks wait for each other
};

// The first broken rule and where: a place in a rank's list, and the work in question.
struct fault {
  // Ranks of a cycle that are kept.
  static constexpr int longest_cycle = 64;
  rule broken = rule::none;       // `none`: the program is valid
  int rank = 0;                   // whose list
  int slot = 0;                   // position in the rank's list
  int stage = 0;                  // of the action
  int micro_batch = 0;            // likewise
  int waiting = 0;                // deadlock: ranks in the shortest cycle, the first one is `rank`
  int cycle[longest_cycle] = {};  // each waits for the next one, the last for the first
};

// The name of a rule, as in the compile errors.
constexpr const char* rule_name(rule r) {
  constexpr const char* names[] = {"none",
                                   "foreign_action",
                                   "work_done_twice",
                                   "mixed_backward",
                                   "work_missing",
                                   "backward_before_forward",
                                   "weight_before_input",
                                   "bad_group",
                                   "received_too_late",
                                   "sent_too_early",
                                   "message_missing",
                                   "update_missing",
                                   "update_too_early",
                                   "reduce_missing",
                                   "reduce_too_early",
                                   "release_missing",
                                   "released_too_early",
                                   "too_many_in_flight",
                                   "message_order",
                                   "deadlock"};
  return names[static_cast<int>(r)];
}

}  // namespace backstitch
