// Every rule of the library as a named type.
//
// A broken rule is reported by asking the rule's type for a member that it does not have. That one
// encoding puts the rule, the op or policy, and the numbers on the first `error:` line of g++,
// clang and nvcc; the source line that the compiler echoes below it says how to mend the fault.
//
// A rule is two declarations: the type, whose parameters are the facts, and `require<...>` for it,
// whose line carries the cure. `accepted` is the verdict when nothing is wrong.
#pragma once

namespace backstitch::detail {

// Carries a type out of a constexpr function that chose it; verdicts are passed this way.
template <class T>
struct type_is {
  using type = T;
};

}  // namespace backstitch::detail

namespace backstitch::error {

// Facts. Numbers are `int`, since `std::size_t` prints as `3UL`.
template <int N>
struct needed {};
template <int N>
struct got {};
template <int I>
struct in_stage {};
template <int I>
struct on_rank {};
template <int I>
struct at_slot {};
template <int M>
struct for_micro_batch {};
template <int I>
struct parameter_number {};
template <class Policy>
struct try_instead {};

struct accepted_tag {};
// Nothing is wrong.
struct accepted {
  using accepted_type = accepted_tag;
};

template <class Rule>
struct require {
  using type = typename Rule::accepted_type;
};

// clang-format off
// One line each: what the compiler echoes must hold the whole cure.

// -- what stands where
template <class Got> struct not_a_pipeline {};
template <class T> struct require<not_a_pipeline<T>> { using type = typename not_a_pipeline<T>::accepted; };  // cure: the first argument of plan is pipeline<stage<ops...>, ...>
template <class Got> struct not_a_plan {};
template <class T> struct require<not_a_plan<T>> { using type = typename not_a_plan<T>::accepted; };  // cure: an engine takes plan<Pipeline, Policy, micro_batches<M>>
template <class Got> struct not_a_policy {};
template <class T> struct require<not_a_policy<T>> { using type = typename not_a_policy<T>::accepted; };  // cure: name a schedule policy, such as one_f_one_b or f_then_b
template <class Got> struct not_micro_batches {};
template <class T> struct require<not_micro_batches<T>> { using type = typename not_micro_batches<T>::accepted; };  // cure: give the count as micro_batches<M>
template <class Got> struct not_ranks {};
template <class T> struct require<not_ranks<T>> { using type = typename not_ranks<T>::accepted; };  // cure: give the count as ranks<R>, R >= 1
template <class Got> struct not_a_memory_policy {};
template <class T> struct require<not_a_memory_policy<T>> { using type = typename not_a_memory_policy<T>::accepted; };  // cure: memory::reuse (default) or memory::keep
template <class Pipeline> struct no_stage {};
template <class P> struct require<no_stage<P>> { using type = typename no_stage<P>::accepted; };  // cure: a pipeline has at least one stage<ops...>
template <class Got, class Where> struct not_a_stage {};
template <class T, class W> struct require<not_a_stage<T, W>> { using type = typename not_a_stage<T, W>::accepted; };  // cure: wrap the ops as stage<ops...>
template <class Where> struct empty_stage {};
template <class W> struct require<empty_stage<W>> { using type = typename empty_stage<W>::accepted; };  // cure: give the stage an op, or leave the stage out
template <class Op, class Where> struct same_op_twice {};
template <class O, class W> struct require<same_op_twice<O, W>> { using type = typename same_op_twice<O, W>::accepted; };  // cure: derive a second op type: struct again : op {};

template <class Got> struct not_an_op {};
template <class T> struct require<not_an_op<T>> { using type = typename not_an_op<T>::accepted; };  // cure: an op is a complete class type, neither const nor a reference

// -- roles
template <class Op> struct op_without_role {};
template <class O> struct require<op_without_role<O>> { using type = typename op_without_role<O>::accepted; };  // cure: derive the op from forward, backward, optimize or lr_schedule
template <class Op, class First, class Second> struct op_with_two_roles {};
template <class O, class A, class B> struct require<op_with_two_roles<O, A, B>> { using type = typename op_with_two_roles<O, A, B>::accepted; };  // cure: keep one of the two base classes; only loss may stand beside forward or backward
template <class Op, class Role> struct loss_on_wrong_role {};
template <class O, class R> struct require<loss_on_wrong_role<O, R>> { using type = typename loss_on_wrong_role<O, R>::accepted; };  // cure: loss marks forward and backward ops only; drop it here
template <class Op, class Role> struct role_refused {};
template <class O, class R> struct require<role_refused<O, R>> { using type = typename role_refused<O, R>::accepted; };  // cure: messages and collectives are planned by the library; a pipeline op is forward, backward, optimize or lr_schedule

// -- how an op is written
template <class Op> struct no_single_call_operator {};
template <class O> struct require<no_single_call_operator<O>> { using type = typename no_single_call_operator<O>::accepted; };  // cure: exactly one public operator(), neither overloaded nor a template
template <class Op, class Parameter, class Where> struct unknown_parameter {};
template <class O, class P, class W> struct require<unknown_parameter<O, P, W>> { using type = typename unknown_parameter<O, P, W>::accepted; };  // cure: take in<v>, out<v>, inout<v>, accumulate<v>, micro_batch, step_index, micro_batch_count or stage_index, by value
template <class Op, class Result> struct op_returns_a_value {};
template <class O, class R> struct require<op_returns_a_value<O, R>> { using type = typename op_returns_a_value<O, R>::accepted; };  // cure: return void and write the result through out<v>
template <class Op> struct op_not_default_constructible {};
template <class O> struct require<op_not_default_constructible<O>> { using type = typename op_not_default_constructible<O>::accepted; };  // cure: give the op a default constructor; set its state through engine.op<Op>()
template <class Op, class Variable> struct variable_named_twice {};
template <class O, class V> struct require<variable_named_twice<O, V>> { using type = typename variable_named_twice<O, V>::accepted; };  // cure: name a variable once per op (inout<v> reads and writes); only in<v> may be repeated
template <class Variable> struct value_not_movable {};
template <class V> struct require<value_not_movable<V>> { using type = typename value_not_movable<V>::accepted; };  // cure: the value type needs a default constructor and move assignment
template <class Variable> struct init_not_usable {};
template <class V> struct require<init_not_usable<V>> { using type = typename init_not_usable<V>::accepted; };  // cure: a public static void init(value_type&) in the tag of a parameter, state or buffer
template <class Variable, class Owner> struct wrong_owner {};
template <class V, class O> struct require<wrong_owner<V, O>> { using type = typename wrong_owner<V, O>::accepted; };  // cure: activation_gradient<a> of an activation; gradient<p> and state<p> of a parameter

// -- data flow
template <class Op, class Variable, class Where> struct read_but_never_written {};
template <class O, class V, class W> struct require<read_but_never_written<O, V, W>> { using type = typename read_but_never_written<O, V, W>::accepted; };  // cure: give the variable an op with out<v> (a gradient: accumulate<v>)
template <class Op, class Variable, class Where> struct step_value_without_writer {};
template <class O, class V, class W> struct require<step_value_without_writer<O, V, W>> { using type = typename step_value_without_writer<O, V, W>::accepted; };  // cure: put an lr_schedule op that writes it into this stage too: every stage has its own
template <class Op, class Variable, class Where> struct read_before_written {};
template <class O, class V, class W> struct require<read_before_written<O, V, W>> { using type = typename read_before_written<O, V, W>::accepted; };  // cure: move the op behind the one that has out<v>: ops of one role run in the order written
template <class Op, class Variable, class Where> struct written_twice {};
template <class O, class V, class W> struct require<written_twice<O, V, W>> { using type = typename written_twice<O, V, W>::accepted; };  // cure: one op has out<v>; later ops of its stage take inout<v>
template <class Variable, class First, class Second> struct written_in_two_stages {};
template <class V, class A, class B> struct require<written_in_two_stages<V, A, B>> { using type = typename written_in_two_stages<V, A, B>::accepted; };  // cure: write a variable in one stage only; give the second writer a variable of its own
template <class Variable, class First, class Second> struct used_in_two_stages {};
template <class V, class A, class B> struct require<used_in_two_stages<V, A, B>> { using type = typename used_in_two_stages<V, A, B>::accepted; };  // cure: parameters, gradients, optimizer state and buffers belong to one stage
template <class Op, class Variable, class Written, class Read> struct forward_read_of_later_stage {};
template <class O, class V, class W, class R> struct require<forward_read_of_later_stage<O, V, W, R>> { using type = typename forward_read_of_later_stage<O, V, W, R>::accepted; };  // cure: forward values flow to later stages only; move the op, or read it in a backward op
template <class Op, class Variable, class Written, class Read> struct changed_after_sending {};
template <class O, class V, class W, class R> struct require<changed_after_sending<O, V, W, R>> { using type = typename changed_after_sending<O, V, W, R>::accepted; };  // cure: the value leaves its stage after the forward ops, so this op would not see the inout<v> of a backward op there; let that op write a variable of its own
template <class Op, class Variable> struct forward_read_of_backward_value {};
template <class O, class V> struct require<forward_read_of_backward_value<O, V>> { using type = typename forward_read_of_backward_value<O, V>::accepted; };  // cure: no forward op can wait for a backward one of the same micro-batch
template <class Op, class Variable, class Read> struct backward_send_from_first_stage {};
template <class O, class V, class R> struct require<backward_send_from_first_stage<O, V, R>> { using type = typename backward_send_from_first_stage<O, V, R>::accepted; };  // cure: nothing stands before stage 0; read its backward values in stage 0
template <class Op, class Variable, class Written, class Read> struct backward_read_of_earlier_stage {};
template <class O, class V, class W, class R> struct require<backward_read_of_earlier_stage<O, V, W, R>> { using type = typename backward_read_of_earlier_stage<O, V, W, R>::accepted; };  // cure: backward values flow to earlier stages only; move the op, or write the value in a forward op
template <class Op, class Variable> struct lr_schedule_reads_activation {};
template <class O, class V> struct require<lr_schedule_reads_activation<O, V>> { using type = typename lr_schedule_reads_activation<O, V>::accepted; };  // cure: learning-rate ops run once per step: let them read step_index, step values and buffers
template <class Op, class Variable> struct only_optimize_writes_parameters {};
template <class O, class V> struct require<only_optimize_writes_parameters<O, V>> { using type = typename only_optimize_writes_parameters<O, V>::accepted; };  // cure: write parameters and optimizer state in an optimize op; running statistics are a buffer<T>
template <class Op, class Variable> struct access_refused {};
template <class O, class V> struct require<access_refused<O, V>> { using type = typename access_refused<O, V>::accepted; };  // cure: gradient: accumulate<v> in backward ops, in<v> and inout<v> in optimize ops; step_value: out<v> in lr_schedule ops or accumulate<v>; buffer: inout<v> in forward ops; activation: out<v>; accumulate<v> on an activation_gradient: backward ops
template <class Variable, class From, class To> struct edge_not_transferable {};
template <class V, class A, class B> struct require<edge_not_transferable<V, A, B>> { using type = typename edge_not_transferable<V, A, B>::accepted; };  // cure: the value cannot be copied, and its stage still reads or keeps it after sending; read it before, or make it copyable

// -- schedules
template <class Policy, class Needed, class Got, class Instead> struct too_few_micro_batches {};
template <class P, class N, class G, class I> struct require<too_few_micro_batches<P, N, G, I>> { using type = typename too_few_micro_batches<P, N, G, I>::accepted; };  // cure: raise micro_batches<M> to the needed count, or take the policy named in try_instead
template <class Policy, class Got> struct zero_micro_batches {};
template <class P, class G> struct require<zero_micro_batches<P, G>> { using type = typename zero_micro_batches<P, G>::accepted; };  // cure: a step has at least one micro-batch
template <class Policy, class Needed, class Got> struct too_many_actions {};
template <class P, class N, class G> struct require<too_many_actions<P, N, G>> { using type = typename too_many_actions<P, N, G>::accepted; };  // cure: 2 * stages * micro_batches is over what one proof can hold (needed = the limit); take fewer micro-batches per step
template <class Policy, class Rank, class Slot, class MicroBatch> struct foreign_action {};
template <class P, class R, class S, class M> struct require<foreign_action<P, R, S, M>> { using type = typename foreign_action<P, R, S, M>::accepted; };  // cure: the policy put a stage or micro-batch on a rank where it does not belong
template <class Policy, class Stage, class MicroBatch> struct work_done_twice {};
template <class P, class S, class M> struct require<work_done_twice<P, S, M>> { using type = typename work_done_twice<P, S, M>::accepted; };  // cure: every stage runs one forward and one backward per micro-batch
template <class Policy, class Stage, class MicroBatch> struct work_missing {};
template <class P, class S, class M> struct require<work_missing<P, S, M>> { using type = typename work_missing<P, S, M>::accepted; };  // cure: every stage runs one forward and one backward per micro-batch
template <class Policy, class Rank, class Slot, class MicroBatch> struct backward_before_forward {};
template <class P, class R, class S, class M> struct require<backward_before_forward<P, R, S, M>> { using type = typename backward_before_forward<P, R, S, M>::accepted; };  // cure: a backward needs the activations of its own forward
template <class Policy, class Op, class Rank, class Slot> struct forwards_out_of_order {};
template <class P, class O, class R, class S> struct require<forwards_out_of_order<P, O, R, S>> { using type = typename forwards_out_of_order<P, O, R, S>::accepted; };  // cure: this op counts on micro-batches that go forward in order (a buffer that it updates, a learning rate that the others read); take a policy that keeps the order
template <class Policy, class Rank, class Slot, class MicroBatch> struct deadlock {};
template <class P, class R, class S, class M> struct require<deadlock<P, R, S, M>> { using type = typename deadlock<P, R, S, M>::accepted; };  // cure: this rank waits for ever: the order of the policy has a cycle across ranks
template <class Policy, class Rank, class Slot, class MicroBatch> struct message_unmatched {};
template <class P, class R, class S, class M> struct require<message_unmatched<P, R, S, M>> { using type = typename message_unmatched<P, R, S, M>::accepted; };  // cure: every send needs its one receive, and every op its messages

// -- asking an engine or a plan
template <class Variable> struct variable_not_in_plan {};
template <class V> struct require<variable_not_in_plan<V>> { using type = typename variable_not_in_plan<V>::accepted; };  // cure: no op of the pipeline names this variable
template <class Variable> struct not_kept {};
template <class V> struct require<not_kept<V>> { using type = typename not_kept<V>::accepted; };  // cure: its memory is reused within the step; take plan<..., memory::keep>, or copy it to an activation that no op reads
template <class Variable> struct needs_micro_batch {};
template <class V> struct require<needs_micro_batch<V>> { using type = typename needs_micro_batch<V>::accepted; };  // cure: one value per micro-batch: get<v>(micro_batch)
template <class Op> struct op_not_in_plan {};
template <class O> struct require<op_not_in_plan<O>> { using type = typename op_not_in_plan<O>::accepted; };  // cure: no stage (or not this stage) of the pipeline has this op
template <class Variable> struct stage_needed {};
template <class V> struct require<stage_needed<V>> { using type = typename stage_needed<V>::accepted; };  // cure: several stages have one of their own: get<v>(stage), op<Op, stage>()
// clang-format on

}  // namespace backstitch::error
