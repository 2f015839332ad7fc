// One entry of a rank's list: what to do, for which stage and micro-batch.
#pragma once

namespace backstitch {

// What an entry of a rank's list does.
enum class action_kind : int {
  forward,
  backward,
  send_forward,     // a value made by a forward op leaves `stage`
  receive_forward,  // a value made by a forward op arrives at `stage`
  send_backward,
  receive_backward,
  update,  // the optimizer of `stage`, once per step
};

// Runs ops; the others are messages.
constexpr bool is_compute(action_kind k) {
  return k == action_kind::forward || k == action_kind::backward || k == action_kind::update;
}
// A message that leaves the stage.
constexpr bool is_send(action_kind k) {
  return k == action_kind::send_forward || k == action_kind::send_backward;
}
// A message that arrives at the stage.
constexpr bool is_receive(action_kind k) {
  return k == action_kind::receive_forward || k == action_kind::receive_backward;
}

// The name in the field's action lists: F, B, SEND_F, RECV_F, SEND_B, RECV_B, UPDATE.
constexpr const char* action_name(action_kind k) {
  switch (k) {
    case action_kind::forward:
      return "F";
    case action_kind::backward:
      return "B";
    case action_kind::send_forward:
      return "SEND_F";
    case action_kind::receive_forward:
      return "RECV_F";
    case action_kind::send_backward:
      return "SEND_B";
    case action_kind::receive_backward:
      return "RECV_B";
    case action_kind::update:
      return "UPDATE";
  }
  return "?";
}

// One entry. The numbers are from 0; of an update, micro_batch has no meaning.
struct action {
  action_kind kind = action_kind::forward;  // what to do
  int stage = 0;        // the stage that acts; of a receive, the receiving stage
  int micro_batch = 0;  // for which micro-batch, 0 .. M-1
  int link = -1;        // which link carries the message; -1 for compute
  int group = -1;       // messages of one rank with equal number start together; -1 for compute

  friend constexpr bool operator==(const action&, const action&) = default;
};

}  // namespace backstitch
