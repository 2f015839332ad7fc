// Every rule of the library as a named type.
//
// A broken rule is reported by asking the rule's type for a member that it does not have. That one
// encoding puts the rule, the op or policy, and the numbers on the first `error:` line of g++,
// clang and nvcc; the source line that the compiler echoes below it says how to mend the fault.
//
// A rule is two declarations: the type, whose comment tells the cause and whose parameters are the
// facts, and `require<...>` for it, whose line carries the cure (as a string, since nvcc echoes no
// comment). The page tests/compile_fail/README.md is made of them and of the tests.
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
struct below {};
template <int N>
struct got {};
template <int S>
struct in_stage {};
template <int R>
struct on_rank {};
template <int Slot>
struct at_slot {};
template <int M>
struct for_micro_batch {};
template <int N>
struct parameter_number {};
template <class T>
struct declared {};
template <class T>
struct expected {};
template <class Policy>
struct try_instead {};
template <int N>
struct at_most {};
template <int N>
struct multiple_of {};
template <int N>
struct nearest {};
// Each rank waits for the next one, the last for the first.
template <int... Ranks>
struct waiting {};

struct accepted_tag {};
// The verdict when nothing is wrong.
struct accepted {
  using accepted_type = accepted_tag;  // what require<> asks for
};

template <class Rule>
struct require {
  using type = typename Rule::accepted_type;
};

// clang-format off
// One line each: what the compiler echoes must hold the whole cure.

// -- what stands where
/// The first argument of `plan` is not a pipeline.
template <class Got> struct not_a_pipeline {};
template <class G> struct require<not_a_pipeline<G>> { using type = typename not_a_pipeline<G>::accepted; static constexpr const char* cure = "the first argument of plan is pipeline<stage<ops...>, ...>"; };
/// An engine or a report was given something that is not a plan.
template <class Got> struct not_a_plan {};
template <class G> struct require<not_a_plan<G>> { using type = typename not_a_plan<G>::accepted; static constexpr const char* cure = "an engine takes plan<Pipeline, Policy, micro_batches<M>>"; };
/// Something else, often a count, stands where the schedule policy belongs; or a policy of your own lacks `min_micro_batches` or `generate`.
template <class Got> struct not_a_policy {};
template <class G> struct require<not_a_policy<G>> { using type = typename not_a_policy<G>::accepted; static constexpr const char* cure = "name a schedule policy, such as one_f_one_b or f_then_b; one of your own has static constexpr min_micro_batches(int) and generate(shape, int, Sink&)"; };
/// The count of micro-batches is not given as `micro_batches<M>`.
template <class Got> struct not_micro_batches {};
template <class G> struct require<not_micro_batches<G>> { using type = typename not_micro_batches<G>::accepted; static constexpr const char* cure = "give the count as micro_batches<M>"; };
/// The count of ranks is not given as `ranks<R>`, or is below 1.
template <class Got> struct not_ranks {};
template <class G> struct require<not_ranks<G>> { using type = typename not_ranks<G>::accepted; static constexpr const char* cure = "give the count as ranks<R>, R >= 1"; };
/// Behind the micro-batches stands something that is no option of a plan or schedule, or an option of one kind stands there twice.
template <class Got> struct not_an_option {};
template <class G> struct require<not_an_option<G>> { using type = typename not_an_option<G>::accepted; static constexpr const char* cure = "options: one of memory::reuse and memory::keep (plans only), one placement (placement::loop, v, wave, map<ranks...>), one channel model (channel::rendezvous, capacity<N>, tagged, ...)"; };
/// The pipeline has no stage.
template <class Pipeline> struct no_stage {};
template <class P> struct require<no_stage<P>> { using type = typename no_stage<P>::accepted; static constexpr const char* cure = "a pipeline has at least one stage<ops...>"; };
/// An argument of `pipeline` is not a stage, often an op that is not wrapped in one.
template <class Got, class Where> struct not_a_stage {};
template <class G, class W> struct require<not_a_stage<G, W>> { using type = typename not_a_stage<G, W>::accepted; static constexpr const char* cure = "wrap the ops as stage<ops...>"; };
/// A stage has no op.
template <class Where> struct empty_stage {};
template <class W> struct require<empty_stage<W>> { using type = typename empty_stage<W>::accepted; static constexpr const char* cure = "give the stage an op, or leave the stage out"; };
/// One op type stands twice in one stage, so that the two could not be told apart.
template <class Op, class Where> struct same_op_twice {};
template <class O, class W> struct require<same_op_twice<O, W>> { using type = typename same_op_twice<O, W>::accepted; static constexpr const char* cure = "derive a second op type: struct again : op {};"; };
/// An argument of `stage` is no complete class type: a variable, a value, a pointer, or a class that is only declared.
template <class Got> struct not_an_op {};
template <class G> struct require<not_an_op<G>> { using type = typename not_an_op<G>::accepted; static constexpr const char* cure = "an op is a complete class type, neither const nor a reference"; };

// -- roles
/// The op has no role as a base class, so that nobody knows when it runs.
template <class Op> struct op_without_role {};
template <class O> struct require<op_without_role<O>> { using type = typename op_without_role<O>::accepted; static constexpr const char* cure = "derive the op from forward, backward, optimize or lr_schedule"; };
/// The op derives from two roles.
template <class Op, class First, class Second> struct op_with_two_roles {};
template <class O, class F, class S> struct require<op_with_two_roles<O, F, S>> { using type = typename op_with_two_roles<O, F, S>::accepted; static constexpr const char* cure = "keep one of the two base classes; only loss may stand beside forward or backward"; };
/// The op is marked as part of the loss, but is neither forward nor backward.
template <class Op, class Role> struct loss_on_wrong_role {};
template <class O, class R> struct require<loss_on_wrong_role<O, R>> { using type = typename loss_on_wrong_role<O, R>::accepted; static constexpr const char* cure = "loss marks forward and backward ops only; drop it here"; };
/// The op has a role of the reference framework that no pipeline stage runs.
template <class Op, class Role> struct role_refused {};
template <class O, class R> struct require<role_refused<O, R>> { using type = typename role_refused<O, R>::accepted; static constexpr const char* cure = "messages and collectives are planned by the library; a pipeline op is forward, backward, optimize or lr_schedule"; };

// -- how an op is written
/// The op has no call operator, several of them, a template, a private one, or one that no plain object can be called through (volatile, `&&`, `...`).
template <class Op> struct no_single_call_operator {};
template <class O> struct require<no_single_call_operator<O>> { using type = typename no_single_call_operator<O>::accepted; static constexpr const char* cure = "exactly one public operator(), neither overloaded nor a template, callable on a plain object"; };
/// The call operator takes something that the plan cannot pass: a plain value, a reference, or a variable that is no tag type.
template <class Op, class Parameter, class Where> struct unknown_parameter {};
template <class O, class P, class W> struct require<unknown_parameter<O, P, W>> { using type = typename unknown_parameter<O, P, W>::accepted; static constexpr const char* cure = "take in<v>, out<v>, inout<v>, accumulate<v>, micro_batch, step_index, micro_batch_count or stage_index, by value"; };
/// The call operator returns something, which nobody would read.
template <class Op, class Result> struct op_returns_a_value {};
template <class O, class R> struct require<op_returns_a_value<O, R>> { using type = typename op_returns_a_value<O, R>::accepted; static constexpr const char* cure = "return void and write the result through out<v>"; };
/// The op has members but no default constructor.
template <class Op> struct op_not_default_constructible {};
template <class O> struct require<op_not_default_constructible<O>> { using type = typename op_not_default_constructible<O>::accepted; static constexpr const char* cure = "give the op a default constructor; set its state through engine.op<Op>()"; };
/// One op names a variable twice and writes it.
template <class Op, class Variable> struct variable_named_twice {};
template <class O, class V> struct require<variable_named_twice<O, V>> { using type = typename variable_named_twice<O, V>::accepted; static constexpr const char* cure = "name a variable once per op (inout<v> reads and writes); only in<v> may be repeated"; };
/// The op expects another type or size than the variable has: the two ends of an edge disagree.
template <class Op, class Variable, class Declared, class Expected> struct value_types_differ {};
template <class O, class V, class D, class E> struct require<value_types_differ<O, V, D, E>> { using type = typename value_types_differ<O, V, D, E>::accepted; static constexpr const char* cure = "make the tag's type and the second argument of in<v, T>, out<v, T>, inout<v, T> or accumulate<v, T> the same, or leave the latter out"; };
/// A variable's type cannot be constructed without arguments or moved.
template <class Variable> struct value_not_movable {};
template <class V> struct require<value_not_movable<V>> { using type = typename value_not_movable<V>::accepted; static constexpr const char* cure = "the value type needs a default constructor and move assignment"; };
/// The tag has a member `init` that the plan cannot call, so that the value would silently start at zero.
template <class Variable> struct init_not_usable {};
template <class V> struct require<init_not_usable<V>> { using type = typename init_not_usable<V>::accepted; static constexpr const char* cure = "a public static void init(value_type&) in the tag of a parameter, state or buffer"; };
/// A gradient or an optimizer state belongs to a variable of the wrong kind.
template <class Variable, class Owner> struct wrong_owner {};
template <class V, class O> struct require<wrong_owner<V, O>> { using type = typename wrong_owner<V, O>::accepted; static constexpr const char* cure = "activation_gradient<a> of an activation; gradient<p> and state<p> of a parameter"; };
/// The tag of a gradient declares a `value_type` of its own that is not that of its owner.
template <class Variable, class Declared, class Expected> struct gradient_type_differs {};
template <class V, class D, class E> struct require<gradient_type_differs<V, D, E>> { using type = typename gradient_type_differs<V, D, E>::accepted; static constexpr const char* cure = "leave value_type to activation_gradient<a> or gradient<p>; a value of another type is a variable of its own"; };

// -- data flow
/// An op reads a variable that no op writes.
template <class Op, class Variable, class Where> struct read_but_never_written {};
template <class O, class V, class W> struct require<read_but_never_written<O, V, W>> { using type = typename read_but_never_written<O, V, W>::accepted; static constexpr const char* cure = "give the variable an op with out<v> (a gradient: accumulate<v>)"; };
/// A stage reads a step value, such as the learning rate, that no op of this stage writes.
template <class Op, class Variable, class Where> struct step_value_without_writer {};
template <class O, class V, class W> struct require<step_value_without_writer<O, V, W>> { using type = typename step_value_without_writer<O, V, W>::accepted; static constexpr const char* cure = "put an lr_schedule op that writes it into this stage too: every stage has its own"; };
/// An op reads a variable before the op that writes it has run.
template <class Op, class Variable, class Where> struct read_before_written {};
template <class O, class V, class W> struct require<read_before_written<O, V, W>> { using type = typename read_before_written<O, V, W>::accepted; static constexpr const char* cure = "move the op behind the one that has out<v>: ops of one role run in the order written"; };
/// Two ops of one stage claim to be the one that makes the variable.
template <class Op, class Variable, class Where> struct written_twice {};
template <class O, class V, class W> struct require<written_twice<O, V, W>> { using type = typename written_twice<O, V, W>::accepted; static constexpr const char* cure = "one op has out<v>; later ops of its stage take inout<v>"; };
/// Two stages write one variable.
template <class Variable, class First, class Second> struct written_in_two_stages {};
template <class V, class F, class S> struct require<written_in_two_stages<V, F, S>> { using type = typename written_in_two_stages<V, F, S>::accepted; static constexpr const char* cure = "write a variable in one stage only; give the second writer a variable of its own"; };
/// A parameter, its gradient or state, or a buffer is used by two stages.
template <class Variable, class First, class Second> struct used_in_two_stages {};
template <class V, class F, class S> struct require<used_in_two_stages<V, F, S>> { using type = typename used_in_two_stages<V, F, S>::accepted; static constexpr const char* cure = "parameters, gradients, optimizer state and buffers belong to one stage"; };
/// A forward op reads what only a later stage computes.
template <class Op, class Variable, class Written, class Read> struct forward_read_of_later_stage {};
template <class O, class V, class W, class R> struct require<forward_read_of_later_stage<O, V, W, R>> { using type = typename forward_read_of_later_stage<O, V, W, R>::accepted; static constexpr const char* cure = "forward values flow to later stages only; move the op, or read it in a backward op"; };
/// A value is changed in place by a backward op after it was sent, and the receiver reads it after that: it would see the old one.
template <class Op, class Variable, class Written, class Read> struct changed_after_sending {};
template <class O, class V, class W, class R> struct require<changed_after_sending<O, V, W, R>> { using type = typename changed_after_sending<O, V, W, R>::accepted; static constexpr const char* cure = "the value leaves its stage after the forward ops, so this op would not see the inout<v> of a backward op there; let that op write a variable of its own"; };
/// A forward op reads what a backward op makes.
template <class Op, class Variable> struct forward_read_of_backward_value {};
template <class O, class V> struct require<forward_read_of_backward_value<O, V>> { using type = typename forward_read_of_backward_value<O, V>::accepted; static constexpr const char* cure = "no forward op can wait for a backward one of the same micro-batch: make the reader a backward op"; };
/// A backward value of the first stage is read by a later one.
template <class Op, class Variable, class Read> struct backward_send_from_first_stage {};
template <class O, class V, class R> struct require<backward_send_from_first_stage<O, V, R>> { using type = typename backward_send_from_first_stage<O, V, R>::accepted; static constexpr const char* cure = "nothing stands before stage 0; read its backward values in stage 0"; };
/// An op reads a backward value of an earlier stage, whose backward runs later.
template <class Op, class Variable, class Written, class Read> struct backward_read_of_earlier_stage {};
template <class O, class V, class W, class R> struct require<backward_read_of_earlier_stage<O, V, W, R>> { using type = typename backward_read_of_earlier_stage<O, V, W, R>::accepted; static constexpr const char* cure = "backward values flow to earlier stages only; move the op, or write the value in a forward op"; };
/// A learning-rate op, which runs once per step, names a value that exists once per micro-batch.
template <class Op, class Variable> struct lr_schedule_reads_activation {};
template <class O, class V> struct require<lr_schedule_reads_activation<O, V>> { using type = typename lr_schedule_reads_activation<O, V>::accepted; static constexpr const char* cure = "learning-rate ops run once per step: let them read step_index, step values and buffers"; };
/// An op that is not optimize writes a parameter or optimizer state.
template <class Op, class Variable> struct only_optimize_writes_parameters {};
template <class O, class V> struct require<only_optimize_writes_parameters<O, V>> { using type = typename only_optimize_writes_parameters<O, V>::accepted; static constexpr const char* cure = "write parameters and optimizer state in an optimize op; running statistics are a buffer<T>"; };
/// An op of this role cannot take an activation this way.
template <class Op, class Access, class Role> struct activation_access_refused {};
template <class O, class A, class R> struct require<activation_access_refused<O, A, R>> { using type = typename activation_access_refused<O, A, R>::accepted; static constexpr const char* cure = "activation: out<v>, in<v> and inout<v> in forward and backward ops, in<v> in optimize ops (the last micro-batch's value); accumulate<v> only on an activation_gradient, in backward ops"; };
/// A parameter or optimizer state cannot be accumulated into.
template <class Op, class Access, class Role> struct parameter_access_refused {};
template <class O, class A, class R> struct require<parameter_access_refused<O, A, R>> { using type = typename parameter_access_refused<O, A, R>::accepted; static constexpr const char* cure = "parameter and state: in<v> anywhere, inout<v> or out<v> in optimize ops; sums over micro-batches are a gradient<p>"; };
/// An op of this role cannot take a gradient this way: it is a sum that is complete when the optimizer runs.
template <class Op, class Access, class Role> struct gradient_access_refused {};
template <class O, class A, class R> struct require<gradient_access_refused<O, A, R>> { using type = typename gradient_access_refused<O, A, R>::accepted; static constexpr const char* cure = "gradient: accumulate<v> in backward ops, in<v> and inout<v> in optimize ops"; };
/// An op of this role cannot take a step value this way.
template <class Op, class Access, class Role> struct step_value_access_refused {};
template <class O, class A, class R> struct require<step_value_access_refused<O, A, R>> { using type = typename step_value_access_refused<O, A, R>::accepted; static constexpr const char* cure = "step_value: out<v> in lr_schedule or optimize ops, or accumulate<v> in forward or backward ops (the sum over micro-batches); in<v> anywhere"; };
/// An op of this role cannot take a buffer this way: it is updated in micro-batch order.
template <class Op, class Access, class Role> struct buffer_access_refused {};
template <class O, class A, class R> struct require<buffer_access_refused<O, A, R>> { using type = typename buffer_access_refused<O, A, R>::accepted; static constexpr const char* cure = "buffer: inout<v> in forward ops, in<v> anywhere; it starts by init() of its tag"; };
/// A value that cannot be copied is sent to another stage, and is still needed where it was made, or by several receivers.
template <class Variable, class From, class To> struct edge_not_transferable {};
template <class V, class F, class T> struct require<edge_not_transferable<V, F, T>> { using type = typename edge_not_transferable<V, F, T>::accepted; static constexpr const char* cure = "the value cannot be copied, and its stage still reads or keeps it after sending; read it before, or make it copyable"; };

/// An op reads what only the weight half of the backward makes, which a policy may run at the end of the step.
template <class Op, class Variable> struct weight_value_read_too_early {};
template <class O, class V> struct require<weight_value_read_too_early<O, V>> { using type = typename weight_value_read_too_early<O, V>::accepted; static constexpr const char* cure = "make the writer a backward_input op, or the reader a backward_weight op of the same stage"; };

// -- schedules
/// The policy needs more micro-batches than the step has: some rank would have no steady phase.
template <class Policy, class Needed, class Got, class Instead> struct too_few_micro_batches {};
template <class P, class N, class G, class X> struct require<too_few_micro_batches<P, N, G, X>> { using type = typename too_few_micro_batches<P, N, G, X>::accepted; static constexpr const char* cure = "raise micro_batches<M> to the needed count, or take the policy named in try_instead"; };
/// The step has no micro-batch.
template <class Policy, class Got> struct zero_micro_batches {};
template <class P, class G> struct require<zero_micro_batches<P, G>> { using type = typename zero_micro_batches<P, G>::accepted; static constexpr const char* cure = "a step has at least one micro-batch"; };
/// The policy deals the micro-batches out in equal parts, and their count cannot be cut that way.
template <class Policy, class Factor, class Got, class Nearest> struct micro_batches_not_a_multiple {};
template <class P, class F, class G, class N> struct require<micro_batches_not_a_multiple<P, F, G, N>> { using type = typename micro_batches_not_a_multiple<P, F, G, N>::accepted; static constexpr const char* cure = "take the nearest count named, or any other multiple of the factor"; };
/// The policy needs more ranks.
template <class Policy, class Needed, class Got> struct too_few_ranks {};
template <class P, class N, class G> struct require<too_few_ranks<P, N, G>> { using type = typename too_few_ranks<P, N, G>::accepted; static constexpr const char* cure = "take at least the needed number of ranks, or another policy"; };
/// The policy pairs ranks up, and their count cannot be cut that way.
template <class Policy, class Factor, class Got, class Nearest> struct ranks_not_a_multiple {};
template <class P, class F, class G, class N> struct require<ranks_not_a_multiple<P, F, G, N>> { using type = typename ranks_not_a_multiple<P, F, G, N>::accepted; static constexpr const char* cure = "take the nearest number of ranks named, or another policy"; };
/// The policy puts several stages on each rank, and the stages of the model cannot be dealt out evenly.
template <class Policy, class Factor, class Got, class Nearest> struct stages_not_a_multiple {};
template <class P, class F, class G, class N> struct require<stages_not_a_multiple<P, F, G, N>> { using type = typename stages_not_a_multiple<P, F, G, N>::accepted; static constexpr const char* cure = "cut the model into the nearest number of stages named, or take a policy with another number of stages per rank"; };
/// An interleaved schedule works through its micro-batches in groups, which hold at least one micro-batch per rank.
template <class Policy, class Needed, class Got> struct group_too_small {};
template <class P, class N, class G> struct require<group_too_small<P, N, G>> { using type = typename group_too_small<P, N, G>::accepted; static constexpr const char* cure = "make the group at least as large as the number of ranks"; };
/// The group of an interleaved schedule is larger than the step.
template <class Policy, class Most, class Got> struct group_too_large {};
template <class P, class M, class G> struct require<group_too_large<P, M, G>> { using type = typename group_too_large<P, M, G>::accepted; static constexpr const char* cure = "make the group at most as large as the number of micro-batches"; };
/// The last group of an interleaved schedule has fewer micro-batches than there are ranks, so that its forwards would come too late.
template <class Policy, class Needed, class Got, class Nearest> struct last_group_too_small {};
template <class P, class N, class G, class N1> struct require<last_group_too_small<P, N, G, N1>> { using type = typename last_group_too_small<P, N, G, N1>::accepted; static constexpr const char* cure = "take the nearest number of micro-batches named, or another group size"; };
/// The parameters of a policy are out of range: a count of stages per rank, waves, copies or pieces below 1.
template <class Policy, class Needed, class Got> struct policy_parameter_too_small {};
template <class P, class N, class G> struct require<policy_parameter_too_small<P, N, G>> { using type = typename policy_parameter_too_small<P, N, G>::accepted; static constexpr const char* cure = "every count in a policy is at least 1"; };
/// The placement puts a stage on a rank that does not exist.
template <class Placement, class Stage, class Got, class Last> struct stage_on_no_rank {};
template <class P, class S, class G, class L> struct require<stage_on_no_rank<P, S, G, L>> { using type = typename stage_on_no_rank<P, S, G, L>::accepted; static constexpr const char* cure = "rank_of(stage, ranks, stages, pipes) gives 0 .. ranks-1 for every stage; placement::map names one rank per stage"; };
/// The placement does not give every rank the number of stages that the policy needs.
template <class Placement, class Rank, class Needed, class Got> struct uneven_placement {};
template <class P, class R, class N, class G> struct require<uneven_placement<P, R, N, G>> { using type = typename uneven_placement<P, R, N, G>::accepted; static constexpr const char* cure = "give every rank the same number of stages, or take a placement and a policy that fit each other"; };
/// The schedule has more entries than the compiler can prove within its default limits.
template <class Policy, class Most, class Got> struct too_many_actions {};
template <class P, class M, class G> struct require<too_many_actions<P, M, G>> { using type = typename too_many_actions<P, M, G>::accepted; static constexpr const char* cure = "take fewer micro-batches per step; for larger sizes there is the same check at run time: check_program in dynamic/contract.hpp"; };
/// There are more ranks than one program can hold.
template <class Policy, class Most, class Got> struct too_many_ranks {};
template <class P, class M, class G> struct require<too_many_ranks<P, M, G>> { using type = typename too_many_ranks<P, M, G>::accepted; static constexpr const char* cure = "at most 256 ranks in one program; for more there is the same check at run time: check_program in dynamic/contract.hpp"; };
/// The generator of a policy does not run in a constant expression.
template <class Policy> struct generator_not_constant {};
template <class P> struct require<generator_not_constant<P>> { using type = typename generator_not_constant<P>::accepted; static constexpr const char* cure = "make generate(...) a constexpr function that ends, reads only its arguments and stays inside its arrays"; };
/// A policy puts a stage or micro-batch on a rank where it does not belong.
template <class Policy, class Rank, class Slot, class Stage, class MicroBatch> struct foreign_action {};
template <class P, class R, class S, class S1, class M> struct require<foreign_action<P, R, S, S1, M>> { using type = typename foreign_action<P, R, S, S1, M>::accepted; static constexpr const char* cure = "generate(shape, rank, sink) may name only this rank's stages, shape.stage(rank, chunk), and micro-batches 0 .. M-1 (of a copy: its own share)"; };
/// A policy runs the same work of a micro-batch twice.
template <class Policy, class Rank, class Slot, class Stage, class MicroBatch> struct work_done_twice {};
template <class P, class R, class S, class S1, class M> struct require<work_done_twice<P, R, S, S1, M>> { using type = typename work_done_twice<P, R, S, S1, M>::accepted; static constexpr const char* cure = "every stage runs one forward per micro-batch, and one backward or one backward_input and one backward_weight"; };
/// A policy runs the backward of one micro-batch both as a whole and in parts.
template <class Policy, class Rank, class Slot, class Stage, class MicroBatch> struct mixed_backward {};
template <class P, class R, class S, class S1, class M> struct require<mixed_backward<P, R, S, S1, M>> { using type = typename mixed_backward<P, R, S, S1, M>::accepted; static constexpr const char* cure = "emit either sink.backward(stage, m), or sink.backward_input(stage, m) and later sink.backward_weight(stage, m)"; };
/// A policy leaves out the forward or backward of a micro-batch.
template <class Policy, class Rank, class Stage, class MicroBatch> struct work_missing {};
template <class P, class R, class S, class M> struct require<work_missing<P, R, S, M>> { using type = typename work_missing<P, R, S, M>::accepted; static constexpr const char* cure = "every stage runs one forward per micro-batch, and one backward or one backward_input and one backward_weight"; };
/// A policy runs a backward before the forward of the same micro-batch.
template <class Policy, class Rank, class Slot, class Stage, class MicroBatch> struct backward_before_forward {};
template <class P, class R, class S, class S1, class M> struct require<backward_before_forward<P, R, S, S1, M>> { using type = typename backward_before_forward<P, R, S, S1, M>::accepted; static constexpr const char* cure = "a backward needs the activations of its own forward: emit sink.forward(stage, m) first"; };
/// A policy runs the weight half of a backward before its input half.
template <class Policy, class Rank, class Slot, class Stage, class MicroBatch> struct weight_before_input {};
template <class P, class R, class S, class S1, class M> struct require<weight_before_input<P, R, S, S1, M>> { using type = typename weight_before_input<P, R, S, S1, M>::accepted; static constexpr const char* cure = "emit sink.backward_input(stage, m) before sink.backward_weight(stage, m)"; };
/// A rank holds more micro-batches between forward and backward than the policy allows itself.
template <class Policy, class Rank, class Most, class Got> struct too_many_in_flight {};
template <class P, class R, class M, class G> struct require<too_many_in_flight<P, R, M, G>> { using type = typename too_many_in_flight<P, R, M, G>::accepted; static constexpr const char* cure = "correct max_in_flight(shape, rank), or run a backward earlier"; };
/// The policy runs the two halves of a backward apart, and this op does both.
template <class Policy, class Op, class Instead> struct op_does_not_split {};
template <class P, class O, class X> struct require<op_does_not_split<P, O, X>> { using type = typename op_does_not_split<P, O, X>::accepted; static constexpr const char* cure = "cut the op in two: one that writes activation gradients and one that writes parameter gradients; or take the policy named in try_instead, which runs every backward as a whole"; };
/// The policy runs several copies of the model, and the sums of this variable over the micro-batches cannot be added up across them.
template <class Policy, class Variable> struct not_reducible {};
template <class P, class V> struct require<not_reducible<P, V>> { using type = typename not_reducible<P, V>::accepted; static constexpr const char* cure = "give the value type operator+= (arrays: their elements), or take a policy with one copy of the model"; };
/// The policy runs several copies of the model, and this use of a variable would make them differ.
template <class Policy, class Op, class Variable> struct copies_would_differ {};
template <class P, class O, class V> struct require<copies_would_differ<P, O, V>> { using type = typename copies_would_differ<P, O, V>::accepted; static constexpr const char* cure = "with several copies of the model no optimize op reads an activation and no forward op updates a buffer: each copy sees its own micro-batches only; take a policy with one copy"; };
/// The policy changes the order of the forwards, and an op of this stage counts on it.
template <class Policy, class Op, class Rank, class Slot> struct forwards_out_of_order {};
template <class P, class O, class R, class S> struct require<forwards_out_of_order<P, O, R, S>> { using type = typename forwards_out_of_order<P, O, R, S>::accepted; static constexpr const char* cure = "this op counts on micro-batches that go forward in order (a buffer that it updates, a learning rate that the others read); take a policy that keeps the order"; };
/// The ranks would wait for each other for ever; the shortest cycle is named, and where its first rank stands.
template <class Policy, class Rank, class Slot, class Stage, class MicroBatch, class Cycle> struct deadlock {};
template <class P, class R, class S, class S1, class M, class C> struct require<deadlock<P, R, S, S1, M, C>> { using type = typename deadlock<P, R, S, S1, M, C>::accepted; static constexpr const char* cure = "each rank named in waiting<...> waits for the next one, the last for the first: let one of them send what the others wait for before it waits itself"; };

// -- asking an engine or a plan
/// The plan has no such variable.
template <class Variable> struct variable_not_in_plan {};
template <class V> struct require<variable_not_in_plan<V>> { using type = typename variable_not_in_plan<V>::accepted; static constexpr const char* cure = "no op of the pipeline names this variable: name it in an op, or ask for another"; };
/// The value's memory was reused within the step, so there is nothing left to read.
template <class Variable> struct not_kept {};
template <class V> struct require<not_kept<V>> { using type = typename not_kept<V>::accepted; static constexpr const char* cure = "its memory is reused within the step; take plan<..., memory::keep>, or copy it to an activation that no op reads"; };
/// The variable has a value per micro-batch, and none is named.
template <class Variable> struct needs_micro_batch {};
template <class V> struct require<needs_micro_batch<V>> { using type = typename needs_micro_batch<V>::accepted; static constexpr const char* cure = "one value per micro-batch: get<v>(micro_batch)"; };
/// The plan has no such op in any stage, or not in this one.
template <class Op> struct op_not_in_plan {};
template <class O> struct require<op_not_in_plan<O>> { using type = typename op_not_in_plan<O>::accepted; static constexpr const char* cure = "name an op of the pipeline, in a stage that has it: op<Op>(), op<Op, stage>()"; };
/// Several stages have one of their own, and none is named.
template <class Variable> struct stage_needed {};
template <class V> struct require<stage_needed<V>> { using type = typename stage_needed<V>::accepted; static constexpr const char* cure = "several stages have one of their own: get<v>(stage), op<Op, stage>()"; };
/// A stage number is not below the number of stages.
template <class Got, class Limit> struct no_such_stage {};
template <class G, class B> struct require<no_such_stage<G, B>> { using type = typename no_such_stage<G, B>::accepted; static constexpr const char* cure = "stages are numbered from 0"; };
// clang-format on

}  // namespace backstitch::error
