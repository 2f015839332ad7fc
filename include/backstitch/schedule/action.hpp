// One entry of a rank's list: what to do, for which stage and micro-batch.
#pragma once

namespace backstitch {

// What an entry of a rank's list does. The backward of a micro-batch is either one `backward` or a
// `backward_input` and, later, a `backward_weight`.
enum class action_kind : int {
  forward,
  backward,         // gradients of inputs and weights together
  backward_input,   // gradients of the inputs: what the stage before waits for
  backward_weight,  // gradients of the weights: needed by nobody before the update
  send_forward,     // a value made by a forward op leaves `stage`
  receive_forward,  // a value made by a forward op arrives at `stage`
  send_backward,
  receive_backward,
  release,  // what `stage` keeps of the micro-batch is free
  reduce,   // adds up the gradients of all copies of `stage`, before its update
  update,   // the optimizer of `stage`, once per step
};

// Work on one micro-batch: F, B, I or W.
constexpr bool is_work(action_kind k) {
  return k == action_kind::forward || k == action_kind::backward ||
         k == action_kind::backward_input || k == action_kind::backward_weight;
}
// A message that leaves the stage.
constexpr bool is_send(action_kind k) {
  return k == action_kind::send_forward || k == action_kind::send_backward;
}
// A message that arrives at the stage.
constexpr bool is_receive(action_kind k) {
  return k == action_kind::receive_forward || k == action_kind::receive_backward;
}
// Either end of a message.
constexpr bool is_message(action_kind k) { return is_send(k) || is_receive(k); }

// The name in the field's action lists: F, B, I, W, SEND_F, RECV_F, SEND_B, RECV_B, RELEASE,
// REDUCE_GRAD, UPDATE.
constexpr const char* action_name(action_kind k) {
  switch (k) {
    case action_kind::forward:
      return "F";
    case action_kind::backward:
      return "B";
    case action_kind::backward_input:
      return "I";
    case action_kind::backward_weight:
      return "W";
    case action_kind::send_forward:
      return "SEND_F";
    case action_kind::receive_forward:
      return "RECV_F";
    case action_kind::send_backward:
      return "SEND_B";
    case action_kind::receive_backward:
      return "RECV_B";
    case action_kind::release:
      return "RELEASE";
    case action_kind::reduce:
      return "REDUCE_GRAD";
    case action_kind::update:
      return "UPDATE";
  }
  return "?";
}

// One entry. The numbers are from 0; of a reduction and an update, micro_batch has no meaning.
struct action {
  action_kind kind = action_kind::forward;  // what to do
  int stage = 0;        // the stage that acts; of a receive, the receiving stage
  int micro_batch = 0;  // for which micro-batch, 0 .. M-1
  int link = -1;        // which link carries the message; -1 for all others
  // Neighbours in a rank's list with equal number start together: messages that travel at the same
  // time, or the F and the B of an overlapped pair. -1: alone.
  int group = -1;

  friend constexpr bool operator==(const action&, const action&) = default;
};

}  // namespace backstitch
