// The roles of ops, as base classes: struct sgd : backstitch::optimize { ... };
//
// The numbers are those of the reference worker's op roles, so that a program's role attribute
// converts with a cast. A worker runs four groups of ops; every other role is refused by name.
#pragma once

#include <type_traits>

namespace backstitch {

// The reference worker's flags.
enum class role : int {
  forward = 0x0,
  backward = 0x1,
  optimize = 0x2,
  rpc = 0x4,
  dist = 0x8,
  lr_schedule = 0x10,
  collective = 0x20,
  loss = 0x100,  // a modifier: forward | loss, backward | loss
};

// Joins `loss` to a role.
constexpr role operator|(role a, role b) {
  return static_cast<role>(static_cast<int>(a) | static_cast<int>(b));
}

// Runs once per micro-batch, in program order with the other forward ops of its stage.
struct forward {};
// Runs once per micro-batch, after the micro-batch's forward ops.
struct backward {};
// The two halves of a backward, for policies that run them apart: gradients of the inputs, which
// the stage before waits for, and gradients of the weights, which only the update needs. A plain
// backward op counts as the half that it writes for.
struct backward_input {};
struct backward_weight {};
// Runs once per step, after the last backward in plan order, in the scope of the last micro-batch.
struct optimize {};
// Runs once per step, with the forward ops of micro-batch 0, in program order.
struct lr_schedule {};
// Marks a forward or backward op as part of the loss. It has no effect on the order. An alias, so
// that `loss` stays free as a name inside the op: a base class's own name would hide the user's
// variable.
struct loss_op {};
// What users write.
using loss = loss_op;

// Known to the reference worker's framework, refused in a pipeline stage.
struct rpc {};
struct dist {};
struct collective {};

// The four groups that a worker runs.
enum class op_group : int { lr_schedule, forward, backward, optimize };

// The half of a backward that an op belongs to.
enum class backward_half : int {
  none,    // not a backward op
  input,   // writes no parameter's gradient, or says so
  weight,  // writes parameters' gradients only, or says so
  both,    // cannot be split
};

namespace detail {

template <class Op, class Role>
inline constexpr bool has_role = std::is_base_of_v<Role, Op>;

template <class Op>
inline constexpr int primary_roles =
    int{has_role<Op, forward>} + int{has_role<Op, backward>} + int{has_role<Op, backward_input>} +
    int{has_role<Op, backward_weight>} + int{has_role<Op, optimize>} +
    int{has_role<Op, lr_schedule>};

template <class Op>
inline constexpr bool is_backward =
    has_role<Op, backward> || has_role<Op, backward_input> || has_role<Op, backward_weight>;

}  // namespace detail

// The role flags of an op, in the reference worker's numbers.
template <class Op>
constexpr role role_of() {
  constexpr role primary = detail::is_backward<Op>             ? role::backward
                           : detail::has_role<Op, optimize>    ? role::optimize
                           : detail::has_role<Op, lr_schedule> ? role::lr_schedule
                           : detail::has_role<Op, rpc>         ? role::rpc
                           : detail::has_role<Op, dist>        ? role::dist
                           : detail::has_role<Op, collective>  ? role::collective
                                                               : role::forward;
  return detail::has_role<Op, loss> ? primary | role::loss : primary;
}

// The group that the flags belong to; `loss` does not change it.
constexpr op_group group_of(role flags) {
  switch (static_cast<int>(flags) & ~static_cast<int>(role::loss)) {
    case static_cast<int>(role::backward):
      return op_group::backward;
    case static_cast<int>(role::optimize):
      return op_group::optimize;
    case static_cast<int>(role::lr_schedule):
      return op_group::lr_schedule;
    default:
      return op_group::forward;
  }
}

// For messages.
constexpr const char* group_name(op_group g) {
  switch (g) {
    case op_group::lr_schedule:
      return "lr_schedule";
    case op_group::forward:
      return "forward";
    case op_group::backward:
      return "backward";
    case op_group::optimize:
      return "optimize";
  }
  return "?";
}

}  // namespace backstitch
