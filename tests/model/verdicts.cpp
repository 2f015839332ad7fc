// The verdict on every kind of wrong model, each beside a twin that differs in the one thing that
// mends it. In the order of error.hpp; what the compiler prints is tested in compile_fail/.
#include <backstitch/model/edges.hpp>
#include <backstitch/program/plan.hpp>
#include <backstitch/schedule/policies/f_then_b.hpp>
#include <backstitch/schedule/policies/one_f_one_b.hpp>

#include "model/ops.hpp"

#include <array>
#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bs = backstitch;
namespace error = backstitch::error;
using bs::accumulate, bs::in, bs::inout, bs::out, bs::pipeline, bs::stage;
using bs::test::bwd, bs::test::fwd, bs::test::lrs, bs::test::op, bs::test::opt, bs::test::tag;
using error::in_stage, error::parameter_number;

// Two variables whose names compilers print alike.
inline auto local_variables() {
  const auto one = [] {
    struct local : bs::activation<int> {};
    return local{};
  };
  const auto other = [] {
    struct local : bs::activation<int> {};
    return local{};
  };
  return std::pair(one(), other());
}

namespace test_verdicts {

// A concept, so that a failure prints both types.
template <class Pipeline, class Verdict>
concept gives = std::same_as<bs::detail::model_verdict<Pipeline>, Verdict>;
template <class Pipeline>
concept legal = gives<Pipeline, error::accepted>;
// The verdict on one op that stands alone.
template <class Op, class Verdict>
concept op_gives = gives<pipeline<stage<Op>>, Verdict>;
template <class Op>
concept op_legal = op_gives<Op, error::accepted>;

struct x : bs::activation<float[4]> {};
struct y : bs::activation<float[4]> {};
struct z : bs::activation<float[4]> {};
struct dx : bs::activation_gradient<x> {};
struct dy : bs::activation_gradient<y> {};
struct w : bs::parameter<float[4]> {};
struct dw : bs::gradient<w> {};
struct momentum : bs::state<w> {};
struct lr : bs::step_value<float> {};
struct mean : bs::buffer<float[4]> {};

// Ops that most models below need.
using load = fwd<out<x>>;
using rate = lrs<out<lr>>;
using idle = fwd<>;

// ===================================================================================================
// What stands where
// ===================================================================================================

// -- not_a_pipeline
static_assert(legal<pipeline<stage<idle>>>);
static_assert(gives<stage<idle>, error::not_a_pipeline<stage<idle>>>);
static_assert(gives<idle, error::not_a_pipeline<idle>>);
static_assert(gives<int, error::not_a_pipeline<int>>);
static_assert(gives<void, error::not_a_pipeline<void>>);
static_assert(gives<pipeline<stage<idle>>&, error::not_a_pipeline<pipeline<stage<idle>>&>>);

// -- not_a_policy, not_micro_batches, not_a_memory_policy: the other arguments of a plan
template <class Policy, class Count, class Memory, class Verdict>
concept plan_gives =
    std::same_as<typename decltype(bs::detail::verdict_on_plan<pipeline<stage<idle>>, Policy, Count,
                                                               Memory>())::type,
                 Verdict>;
using four = bs::micro_batches<4>;
using reuse = bs::memory::reuse;
static_assert(plan_gives<bs::f_then_b, four, reuse, error::accepted>);
static_assert(plan_gives<bs::f_then_b, four, bs::memory::keep, error::accepted>);
static_assert(plan_gives<four, four, reuse, error::not_a_policy<four>>);
static_assert(plan_gives<void, four, reuse, error::not_a_policy<void>>);
static_assert(plan_gives<bs::f_then_b&, four, reuse, error::not_a_policy<bs::f_then_b&>>);
static_assert(plan_gives<idle, four, reuse, error::not_a_policy<idle>>);
struct policy_without_generator {
  static constexpr int min_micro_batches(int) { return 1; }
};
static_assert(plan_gives<policy_without_generator, four, reuse,
                         error::not_a_policy<policy_without_generator>>);
static_assert(
    plan_gives<bs::f_then_b, bs::ranks<4>, reuse, error::not_micro_batches<bs::ranks<4>>>);
static_assert(plan_gives<bs::f_then_b, int, reuse, error::not_micro_batches<int>>);
static_assert(plan_gives<bs::f_then_b, four, four, error::not_an_option<four>>);
static_assert(plan_gives<bs::f_then_b, four, void, error::not_an_option<void>>);
// In the wrong order: the policy's place is looked at first.
static_assert(plan_gives<four, bs::f_then_b, reuse, error::not_a_policy<four>>);

// -- not_ranks: an argument of a schedule
template <class Policy, class Ranks, class Count, class Verdict>
concept schedule_gives = std::same_as<
    typename decltype(bs::detail::verdict_on_schedule_arguments<Policy, Ranks, Count>())::type,
    Verdict>;
static_assert(schedule_gives<bs::f_then_b, bs::ranks<2>, four, error::accepted>);
static_assert(schedule_gives<bs::f_then_b, four, four, error::not_ranks<four>>);
static_assert(schedule_gives<bs::f_then_b, int, four, error::not_ranks<int>>);
static_assert(schedule_gives<bs::f_then_b, bs::ranks<0>, four, error::not_ranks<bs::ranks<0>>>);
static_assert(schedule_gives<bs::f_then_b, bs::ranks<-1>, four, error::not_ranks<bs::ranks<-1>>>);
static_assert(schedule_gives<bs::ranks<2>, bs::ranks<2>, four, error::not_a_policy<bs::ranks<2>>>);

// -- no_stage
static_assert(gives<pipeline<>, error::no_stage<pipeline<>>>);

// -- not_a_stage
static_assert(gives<pipeline<idle>, error::not_a_stage<idle, in_stage<0>>>);
static_assert(gives<pipeline<stage<idle>, idle>, error::not_a_stage<idle, in_stage<1>>>);
static_assert(gives<pipeline<int>, error::not_a_stage<int, in_stage<0>>>);
static_assert(gives<pipeline<void>, error::not_a_stage<void, in_stage<0>>>);
static_assert(
    gives<pipeline<pipeline<stage<idle>>>, error::not_a_stage<pipeline<stage<idle>>, in_stage<0>>>);
static_assert(gives<pipeline<stage<idle>&>, error::not_a_stage<stage<idle>&, in_stage<0>>>);

// -- empty_stage
static_assert(gives<pipeline<stage<>>, error::empty_stage<in_stage<0>>>);
static_assert(gives<pipeline<stage<idle>, stage<>>, error::empty_stage<in_stage<1>>>);
static_assert(legal<pipeline<stage<idle>, stage<idle>>>);

// -- same_op_twice: within a stage only
static_assert(gives<pipeline<stage<load, idle, idle>>, error::same_op_twice<idle, in_stage<0>>>);
static_assert(gives<pipeline<stage<load>, stage<idle, fwd<in<x>>, idle>>,
                    error::same_op_twice<idle, in_stage<1>>>);
static_assert(legal<pipeline<stage<idle>, stage<idle>, stage<idle>>>);
struct idle_again : idle {};
static_assert(legal<pipeline<stage<idle, idle_again>>>);

// ===================================================================================================
// Roles
// ===================================================================================================

// -- op_without_role
struct no_role {
  void operator()(out<x>) const;
};
struct with_role : bs::forward {
  void operator()(out<x>) const;
};
static_assert(op_gives<no_role, error::op_without_role<no_role>>);
static_assert(op_legal<with_role>);
struct only_loss : bs::loss {
  void operator()(out<x>) const;
};
static_assert(op_gives<only_loss, error::op_without_role<only_loss>>);
// Anything that is no op at all.
static_assert(op_gives<int, error::not_an_op<int>>);
static_assert(op_gives<void, error::not_an_op<void>>);
static_assert(op_gives<idle&, error::not_an_op<idle&>>);
static_assert(op_gives<const idle, error::not_an_op<const idle>>);
static_assert(op_gives<const idle&, error::not_an_op<const idle&>>);
static_assert(op_gives<idle*, error::not_an_op<idle*>>);
static_assert(op_gives<void(out<x>), error::not_an_op<void(out<x>)>>);
struct never_defined;
static_assert(op_gives<never_defined, error::not_an_op<never_defined>>);
static_assert(op_gives<x, error::op_without_role<x>>);
static_assert(op_gives<stage<idle>, error::op_without_role<stage<idle>>>);
union union_op {
  void operator()(out<x>) const;
};
static_assert(op_gives<union_op, error::not_an_op<union_op>>);
// A stage with one wrong op names that one, not its neighbours.
static_assert(gives<pipeline<stage<idle>, stage<load, no_role, idle_again>>,
                    error::op_without_role<no_role>>);

// -- op_with_two_roles
template <class... Roles>
struct with_roles : Roles... {
  void operator()() const;
};
static_assert(op_legal<with_roles<bs::forward>>);
template <class A, class B>
concept two_roles_refused =
    (op_gives<with_roles<A, B>, error::op_with_two_roles<with_roles<A, B>, A, B>>)&&(
        op_gives<with_roles<B, A>, error::op_with_two_roles<with_roles<B, A>, A, B>>);
static_assert(two_roles_refused<bs::forward, bs::backward>);
static_assert(two_roles_refused<bs::forward, bs::optimize>);
static_assert(two_roles_refused<bs::forward, bs::lr_schedule>);
static_assert(two_roles_refused<bs::backward, bs::optimize>);
static_assert(two_roles_refused<bs::backward, bs::lr_schedule>);
static_assert(two_roles_refused<bs::optimize, bs::lr_schedule>);
// With three, the first and the last are named.
using three_roles = with_roles<bs::optimize, bs::backward, bs::forward>;
static_assert(
    op_gives<three_roles, error::op_with_two_roles<three_roles, bs::forward, bs::optimize>>);
// A role that is inherited counts.
struct forward_base : bs::forward {};
struct second_role : forward_base, bs::backward {
  void operator()() const;
};
static_assert(
    op_gives<second_role, error::op_with_two_roles<second_role, bs::forward, bs::backward>>);
// Two roles are worse than a loss on one of them.
using loss_and_two = with_roles<bs::forward, bs::optimize, bs::loss>;
static_assert(
    op_gives<loss_and_two, error::op_with_two_roles<loss_and_two, bs::forward, bs::optimize>>);

// -- loss_on_wrong_role
using loss_optimize = with_roles<bs::optimize, bs::loss>;
using loss_lr = with_roles<bs::loss, bs::lr_schedule>;
static_assert(op_gives<loss_optimize, error::loss_on_wrong_role<loss_optimize, bs::optimize>>);
static_assert(op_gives<loss_lr, error::loss_on_wrong_role<loss_lr, bs::lr_schedule>>);
static_assert(op_legal<with_roles<bs::forward, bs::loss>>);
static_assert(op_legal<with_roles<bs::loss, bs::backward>>);
static_assert(op_legal<with_roles<bs::optimize>>);
static_assert(op_legal<with_roles<bs::lr_schedule>>);

// -- role_refused: what the reference worker's framework knows and a section does not run
static_assert(op_gives<with_roles<bs::rpc>, error::role_refused<with_roles<bs::rpc>, bs::rpc>>);
static_assert(op_gives<with_roles<bs::dist>, error::role_refused<with_roles<bs::dist>, bs::dist>>);
static_assert(op_gives<with_roles<bs::collective>,
                       error::role_refused<with_roles<bs::collective>, bs::collective>>);
// Beside a role that would be fine, too.
using collective_backward = with_roles<bs::backward, bs::collective>;
static_assert(
    op_gives<collective_backward, error::role_refused<collective_backward, bs::collective>>);

// ===================================================================================================
// How an op is written
// ===================================================================================================

// -- no_single_call_operator
struct missing_call : bs::forward {};
struct overloaded : bs::forward {
  void operator()(out<x>) const;
  void operator()(out<y>) const;
};
struct overloaded_on_const : bs::forward {
  void operator()(out<x>);
  void operator()(out<x>) const;
};
struct templated : bs::forward {
  template <class T>
  void operator()(T) const;
};
struct generic : bs::forward {
  void operator()(auto...) const;
};
class private_call : public bs::forward {
  void operator()(out<x>) const;
};
struct protected_call : bs::forward {
 protected:
  void operator()(out<x>) const;
};
struct on_rvalue : bs::forward {
  void operator()(out<x>) &&;
};
struct variadic : bs::forward {
  void operator()(out<x>, ...) const;
};
struct pointer_call : bs::forward {
  void (*call)(out<x>);
};
static_assert(op_gives<missing_call, error::no_single_call_operator<missing_call>>);
static_assert(op_gives<overloaded, error::no_single_call_operator<overloaded>>);
static_assert(op_gives<overloaded_on_const, error::no_single_call_operator<overloaded_on_const>>);
static_assert(op_gives<templated, error::no_single_call_operator<templated>>);
static_assert(op_gives<generic, error::no_single_call_operator<generic>>);
static_assert(op_gives<private_call, error::no_single_call_operator<private_call>>);
static_assert(op_gives<protected_call, error::no_single_call_operator<protected_call>>);
static_assert(op_gives<on_rvalue, error::no_single_call_operator<on_rvalue>>);
static_assert(op_gives<variadic, error::no_single_call_operator<variadic>>);
static_assert(op_gives<pointer_call, error::no_single_call_operator<pointer_call>>);
static_assert(op_gives<bs::forward, error::no_single_call_operator<bs::forward>>);
// The twins: one operator, of whatever make.
struct plain_call : bs::forward {
  void operator()(out<x>);
};
class public_call : public bs::forward {
 public:
  void operator()(out<x>) const;
};
struct final_op final : bs::forward {
  void operator()(out<x>) const&;
};
struct no_throw : bs::forward {
  void operator()(out<x>) noexcept;
};
struct inherited_call : public_call {};
struct virtual_call : bs::forward {
  virtual ~virtual_call() = default;
  virtual void operator()(out<x>) {}
};
struct overriding : virtual_call {
  void operator()(out<x>) override {}
};
struct exposing : overloaded_on_const {
  void operator()(out<x>) const;
};
class private_role : bs::forward {
 public:
  void operator()(out<x>) const;
};
static_assert(op_legal<plain_call>);
static_assert(op_legal<public_call>);
static_assert(op_legal<final_op>);
static_assert(op_legal<no_throw>);
static_assert(op_legal<inherited_call>);
static_assert(op_legal<virtual_call>);
static_assert(op_legal<overriding>);
static_assert(op_legal<exposing>);
static_assert(op_legal<private_role>);

// -- unknown_parameter: numbered from one
template <class... Args>
concept first_parameter_refused =
    (op_gives<fwd<Args...>,
              error::unknown_parameter<fwd<Args...>,
                                       typename bs::detail::type_list<Args...>::template at<0>,
                                       parameter_number<1>>>);
static_assert(first_parameter_refused<int>);
static_assert(first_parameter_refused<float*>);
static_assert(first_parameter_refused<std::size_t>);
static_assert(first_parameter_refused<out<x>&>);
static_assert(first_parameter_refused<in<x>&>);
static_assert(first_parameter_refused<const in<x>&>);
static_assert(first_parameter_refused<out<x>&&>);
static_assert(first_parameter_refused<out<x>*>);
static_assert(first_parameter_refused<const bs::micro_batch&>);
static_assert(first_parameter_refused<bs::micro_batch&&>);
static_assert(first_parameter_refused<x>);
static_assert(first_parameter_refused<std::array<float, 4>>);
static_assert(first_parameter_refused<bs::micro_batches<4>>);
static_assert(first_parameter_refused<in<const x>>);
static_assert(first_parameter_refused<in<float>>);
static_assert(first_parameter_refused<out<std::vector<int>>>);
// Derived from an access: the engine would have to make it.
struct derived_access : in<x> {};
static_assert(first_parameter_refused<derived_access>);
// The first wrong one is named.
using third_is_wrong = fwd<out<x>, bs::micro_batch, int, float>;
static_assert(
    op_gives<third_is_wrong, error::unknown_parameter<third_is_wrong, int, parameter_number<3>>>);
using third_is_right = fwd<out<x>, bs::micro_batch, bs::stage_index>;
static_assert(op_legal<third_is_right>);
static_assert(
    op_legal<fwd<bs::micro_batch, bs::step_index, bs::micro_batch_count, bs::stage_index>>);
// Positions may be repeated, and every role may ask for them.
static_assert(op_legal<fwd<bs::micro_batch, bs::micro_batch>>);
static_assert(op_legal<bwd<bs::micro_batch>>);
static_assert(op_legal<opt<bs::micro_batch, bs::micro_batch_count>>);
static_assert(op_legal<lrs<bs::step_index, bs::stage_index>>);
// `const` by value is no part of the signature.
struct constant_parameter : bs::forward {
  void operator()(const out<x>, const bs::micro_batch) const;
};
static_assert(op_legal<constant_parameter>);

// -- op_returns_a_value
struct returning : bs::forward {
  int operator()(out<x>) const;
};
struct returning_reference : bs::forward {
  returning_reference& operator()(out<x>);
};
static_assert(op_gives<returning, error::op_returns_a_value<returning, int>>);
static_assert(op_gives<returning_reference,
                       error::op_returns_a_value<returning_reference, returning_reference&>>);

// -- op_not_default_constructible
struct deleted_default : bs::forward {
  deleted_default() = delete;
  void operator()(out<x>) const;
};
struct needs_argument : bs::forward {
  explicit needs_argument(int);
  void operator()(out<x>) const;
};
class private_default : public bs::forward {
  private_default() = default;

 public:
  void operator()(out<x>) const;
};
struct abstract : bs::forward {
  virtual void operator()(out<x>) = 0;

 protected:
  ~abstract() = default;
};
struct abstract_public : bs::forward {
  virtual ~abstract_public() = default;
  virtual void operator()(out<x>) = 0;
};
struct private_destructor : bs::forward {
  void operator()(out<x>) const;

 private:
  ~private_destructor() = default;
};
struct reference_member : bs::forward {
  int& reference;
  void operator()(out<x>) const;
};
static_assert(op_gives<deleted_default, error::op_not_default_constructible<deleted_default>>);
static_assert(op_gives<needs_argument, error::op_not_default_constructible<needs_argument>>);
static_assert(op_gives<private_default, error::op_not_default_constructible<private_default>>);
static_assert(op_gives<abstract, error::op_not_default_constructible<abstract>>);
static_assert(op_gives<abstract_public, error::op_not_default_constructible<abstract_public>>);
static_assert(
    op_gives<private_destructor, error::op_not_default_constructible<private_destructor>>);
static_assert(op_gives<reference_member, error::op_not_default_constructible<reference_member>>);
// State is welcome, of any type: an op is made where it stays.
struct with_state : bs::forward {
  std::vector<std::string> names;
  std::unique_ptr<int> owned;
  const int constant = 3;
  explicit with_state(int = 0);
  with_state(const with_state&) = delete;
  void operator()(out<x>);
};
static_assert(op_legal<with_state>);

// -- variable_named_twice: once per op, unless all its uses are `in`
template <class A, class B>
concept twice_refused =
    (gives<pipeline<stage<fwd<tag<9>, out<x>>, fwd<A, B>>>,
           error::variable_named_twice<fwd<A, B>,
                                       x>>)&&(gives<pipeline<stage<fwd<tag<9>, out<x>>, fwd<B, A>>>,
                                                    error::variable_named_twice<fwd<B, A>, x>>);
static_assert(twice_refused<in<x>, out<x>>);
static_assert(twice_refused<in<x>, inout<x>>);
static_assert(twice_refused<out<x>, out<x>>);
static_assert(twice_refused<out<x>, inout<x>>);
static_assert(twice_refused<inout<x>, inout<x>>);
static_assert(twice_refused<in<x>, accumulate<x>>);
static_assert(twice_refused<accumulate<x>, accumulate<x>>);
static_assert(legal<pipeline<stage<load, fwd<in<x>, in<x>>>>>);
static_assert(legal<pipeline<stage<load, fwd<in<x>, bs::micro_batch, in<x>, in<x>>>>>);
static_assert(legal<pipeline<stage<load, fwd<inout<x>>>>>);
// Far apart in a long list.
using far_apart = fwd<in<x>, in<y>, bs::micro_batch, in<z>, out<x>>;
static_assert(gives<pipeline<stage<far_apart>>, error::variable_named_twice<far_apart, x>>);

// -- value_not_movable
struct move_only {
  std::unique_ptr<int> p;
};
struct pinned {
  pinned() = default;
  pinned(const pinned&) = delete;
  pinned& operator=(const pinned&) = delete;
};
struct no_default {
  explicit no_default(int);
};
struct constructible_only {
  constructible_only() = default;
  constructible_only(constructible_only&&) = default;
  constructible_only& operator=(constructible_only&&) = delete;
};
struct with_const_member {
  const int c = 0;
};
template <class T>
struct of : bs::activation<T> {};
template <class T>
concept value_refused = (op_gives<fwd<out<of<T>>>, error::value_not_movable<of<T>>>);
static_assert(value_refused<pinned>);
static_assert(value_refused<pinned[2]>);
static_assert(value_refused<no_default>);
static_assert(value_refused<constructible_only>);
static_assert(value_refused<with_const_member>);
static_assert(value_refused<const float>);
static_assert(value_refused<void>);
static_assert(value_refused<int&>);
static_assert(value_refused<int&&>);
static_assert(value_refused<float[]>);
static_assert(value_refused<void()>);
static_assert(value_refused<never_defined>);
static_assert(op_legal<fwd<out<of<float>>>>);
static_assert(op_legal<fwd<out<of<int*>>>>);
static_assert(op_legal<fwd<out<of<bool>>>>);
static_assert(op_legal<fwd<out<of<std::string>>>>);
static_assert(op_legal<fwd<out<of<std::vector<std::string>[3]>>>>);
static_assert(op_legal<fwd<out<of<move_only>>>>);
static_assert(op_legal<fwd<out<of<move_only[2][2]>>>>);
// Of any kind of variable, and for readers too.
struct pinned_parameter : bs::parameter<pinned> {};
static_assert(op_gives<fwd<in<pinned_parameter>>, error::value_not_movable<pinned_parameter>>);

// -- wrong_owner
struct gradient_of_activation : bs::gradient<x> {};
struct state_of_activation : bs::state<x> {};
struct activation_gradient_of_parameter : bs::activation_gradient<w> {};
static_assert(op_gives<bwd<accumulate<gradient_of_activation>>,
                       error::wrong_owner<gradient_of_activation, x>>);
static_assert(
    op_gives<opt<inout<state_of_activation>>, error::wrong_owner<state_of_activation, x>>);
static_assert(op_gives<bwd<out<activation_gradient_of_parameter>>,
                       error::wrong_owner<activation_gradient_of_parameter, w>>);
static_assert(op_legal<bwd<accumulate<dw>>>);

// -- gradient_type_differs: a tag that hides the type of its owner
struct short_dx : bs::activation_gradient<x> {
  using value_type = char;
};
struct short_dw : bs::gradient<w> {
  using value_type = char;
};
struct same_dx : bs::activation_gradient<x> {
  using value_type = bs::value_t<x>;
};
static_assert(
    op_gives<bwd<out<short_dx>>, error::gradient_type_differs<short_dx, error::declared<char>,
                                                              error::expected<bs::value_t<x>>>>);
static_assert(op_gives<bwd<accumulate<short_dw>>,
                       error::gradient_type_differs<short_dw, error::declared<char>,
                                                    error::expected<bs::value_t<w>>>>);
static_assert(op_legal<bwd<out<same_dx>>>);

// -- value_types_differ: what an op expects
template <class Op, class V>
concept differs = (op_gives<Op, error::value_types_differ<Op, V, error::declared<bs::value_t<V>>,
                                                          error::expected<char>>>);
static_assert(differs<fwd<bs::out<x, char>>, x>);
static_assert(differs<fwd<bs::in<w>, bs::out<x, char>>, x>);
static_assert(differs<bwd<bs::accumulate<dw, char>>, dw>);
static_assert(differs<opt<bs::inout<w, char>>, w>);
static_assert(differs<opt<bs::in<w, char>>, w>);
static_assert(op_legal<fwd<bs::out<x, bs::value_t<x>>>>);
static_assert(op_legal<fwd<bs::in<w, bs::value_t<w>>>>);
// However it is written, it is one variable.
static_assert(
    op_gives<fwd<bs::out<x, bs::value_t<x>>, bs::out<x>>,
             error::variable_named_twice<fwd<bs::out<x, bs::value_t<x>>, bs::out<x>>, x>>);

// -- init_not_usable: an initialiser that would not be called
template <class T>
struct started : bs::parameter<float> {
  static void init(T v) { static_cast<void>(v); }
};
struct member_init : bs::parameter<float> {
  void init(float&) {}
};
class private_init : public bs::parameter<float> {
  static void init(float&) {}
};
struct returning_init : bs::parameter<float> {
  static float init() { return 1; }
};
struct noexcept_init : bs::state<w> {
  static void init(value_type&) noexcept {}
};
struct overloaded_init : bs::parameter<float> {
  static void init(float&) {}
  static void init(double&) {}
};
struct gradient_init : bs::gradient<w> {
  static void init(value_type&) {}
};
template <class V>
concept init_refused = (op_gives<opt<inout<V>>, error::init_not_usable<V>>);
static_assert(op_legal<opt<inout<started<float&>>>>);
static_assert(op_legal<opt<inout<noexcept_init>>>);
static_assert(init_refused<started<double&>>);
static_assert(init_refused<started<float>>);
static_assert(init_refused<started<const float&>>);
static_assert(init_refused<member_init>);
static_assert(init_refused<private_init>);
static_assert(init_refused<returning_init>);
static_assert(init_refused<overloaded_init>);
static_assert(init_refused<gradient_init>);

// -- Types that print alike, as two local types of one function do, are told apart all the same
using alike_a = decltype(local_variables().first);
using alike_b = decltype(local_variables().second);
static_assert(!std::same_as<alike_a, alike_b> &&
              bs::type_name<alike_a>() == bs::type_name<alike_b>());
static_assert(gives<pipeline<stage<fwd<out<alike_a>>, fwd<tag<1>, in<alike_b>>>>,
                    error::read_but_never_written<fwd<tag<1>, in<alike_b>>, alike_b, in_stage<0>>>);
using two_alike = pipeline<stage<fwd<out<alike_a>>>, stage<fwd<tag<1>, out<alike_b>>>>;
static_assert(legal<two_alike>);
static_assert(bs::detail::model_v<two_alike>.variables == 2);
static_assert(bs::detail::variable_number<two_alike, alike_a> == 0);
static_assert(bs::detail::variable_number<two_alike, alike_b> == 1);
static_assert(bs::detail::variable_number<pipeline<stage<fwd<out<alike_a>>>>, alike_b> == -1);
static_assert(legal<pipeline<stage<fwd<out<alike_a>>, fwd<tag<1>, in<alike_a>>>>>);
static_assert(legal<pipeline<stage<fwd<out<alike_a>, out<alike_b>>>>>);
// Ops too.
static_assert(legal<pipeline<stage<fwd<out<alike_a>>, fwd<out<alike_b>>>>>);

// ===================================================================================================
// Data flow
// ===================================================================================================

// -- read_but_never_written
static_assert(op_gives<fwd<in<x>>, error::read_but_never_written<fwd<in<x>>, x, in_stage<0>>>);
static_assert(legal<pipeline<stage<load, fwd<in<x>>>>>);
static_assert(gives<pipeline<stage<load>, stage<bwd<in<dx>>>>,
                    error::read_but_never_written<bwd<in<dx>>, dx, in_stage<1>>>);
static_assert(legal<pipeline<stage<load, bwd<out<dx>>, bwd<in<dx>>>>>);
static_assert(op_gives<opt<in<x>>, error::read_but_never_written<opt<in<x>>, x, in_stage<0>>>);
// `inout` writes over something; it is no first writer.
static_assert(
    op_gives<fwd<inout<x>>, error::read_but_never_written<fwd<inout<x>>, x, in_stage<0>>>);
// A gradient that nothing accumulates.
static_assert(op_gives<opt<in<dw>, inout<w>>,
                       error::read_but_never_written<opt<in<dw>, inout<w>>, dw, in_stage<0>>>);
static_assert(legal<pipeline<stage<bwd<accumulate<dw>>, opt<in<dw>, inout<w>>>>>);
static_assert(
    op_gives<opt<inout<dw>>, error::read_but_never_written<opt<inout<dw>>, dw, in_stage<0>>>);
// Values that last have a content before the first write: an initialiser's.
static_assert(op_legal<fwd<in<w>>>);
static_assert(op_legal<opt<in<momentum>>>);
static_assert(op_legal<fwd<in<mean>>>);
static_assert(op_legal<bwd<in<mean>>>);

// -- step_value_without_writer: every stage has its own
static_assert(
    op_gives<opt<in<lr>>, error::step_value_without_writer<opt<in<lr>>, lr, in_stage<0>>>);
static_assert(gives<pipeline<stage<rate, opt<in<lr>>>, stage<opt<in<lr>>>>,
                    error::step_value_without_writer<opt<in<lr>>, lr, in_stage<1>>>);
static_assert(legal<pipeline<stage<rate, opt<in<lr>>>, stage<rate, opt<in<lr>>>>>);
static_assert(
    op_gives<lrs<inout<lr>>, error::step_value_without_writer<lrs<inout<lr>>, lr, in_stage<0>>>);
static_assert(legal<pipeline<stage<rate, lrs<inout<lr>>>>>);
// A sum is a writer, but of its own stage's value.
static_assert(legal<pipeline<stage<fwd<accumulate<lr>>, opt<in<lr>>>>>);
static_assert(gives<pipeline<stage<fwd<accumulate<lr>>>, stage<opt<in<lr>>>>,
                    error::step_value_without_writer<opt<in<lr>>, lr, in_stage<1>>>);
// Every role may read one.
static_assert(legal<pipeline<stage<rate, fwd<in<lr>>, bwd<in<lr>>, opt<in<lr>>, lrs<in<lr>>>>>);

// -- read_before_written: in the order in which ops run, which is not always that in which they
//    are written
static_assert(gives<pipeline<stage<fwd<in<x>>, load>>,
                    error::read_before_written<fwd<in<x>>, x, in_stage<0>>>);
static_assert(legal<pipeline<stage<load, fwd<in<x>>>>>);
static_assert(gives<pipeline<stage<fwd<inout<x>>, load>>,
                    error::read_before_written<fwd<inout<x>>, x, in_stage<0>>>);
static_assert(gives<pipeline<stage<bwd<in<dx>>, bwd<out<dx>>>>,
                    error::read_before_written<bwd<in<dx>>, dx, in_stage<0>>>);
// Backward ops run behind all forward ones, optimize ops behind both.
static_assert(legal<pipeline<stage<bwd<in<x>>, load>>>);
static_assert(legal<pipeline<stage<opt<in<x>>, bwd<in<x>>, load>>>);
static_assert(legal<pipeline<stage<opt<in<dw>>, bwd<accumulate<dw>>>>>);
// A sum is complete when its last addend is.
using first_addend = bwd<tag<1>, accumulate<dx>>;
using second_addend = bwd<tag<2>, accumulate<dx>>;
static_assert(gives<pipeline<stage<first_addend, bwd<in<dx>>, second_addend>>,
                    error::read_before_written<bwd<in<dx>>, dx, in_stage<0>>>);
static_assert(legal<pipeline<stage<first_addend, second_addend, bwd<in<dx>>>>>);
// LR ops and forward ops are one sequence.
static_assert(gives<pipeline<stage<fwd<in<lr>>, rate>>,
                    error::read_before_written<fwd<in<lr>>, lr, in_stage<0>>>);
static_assert(legal<pipeline<stage<rate, fwd<in<lr>>>>>);
static_assert(legal<pipeline<stage<bwd<in<lr>>, opt<in<lr>>, rate>>>);
static_assert(gives<pipeline<stage<lrs<inout<lr>>, rate>>,
                    error::read_before_written<lrs<inout<lr>>, lr, in_stage<0>>>);
// A step value that the optimizer makes.
static_assert(gives<pipeline<stage<opt<out<lr>>, bwd<in<lr>>>>,
                    error::read_before_written<bwd<in<lr>>, lr, in_stage<0>>>);
static_assert(legal<pipeline<stage<opt<out<lr>>, opt<in<lr>>>>>);
// A sum over micro-batches is complete when the optimizer runs.
static_assert(gives<pipeline<stage<fwd<accumulate<lr>>, bwd<in<lr>>>>,
                    error::read_before_written<bwd<in<lr>>, lr, in_stage<0>>>);
static_assert(legal<pipeline<stage<fwd<accumulate<lr>>, opt<in<lr>>>>>);

// -- written_twice: one `out` per variable
static_assert(gives<pipeline<stage<load, fwd<tag<1>, out<x>>>>,
                    error::written_twice<fwd<tag<1>, out<x>>, x, in_stage<0>>>);
static_assert(legal<pipeline<stage<load, fwd<inout<x>>, fwd<tag<1>, inout<x>>>>>);
static_assert(gives<pipeline<stage<load>, stage<fwd<out<y>>, fwd<tag<1>, out<y>>>>,
                    error::written_twice<fwd<tag<1>, out<y>>, y, in_stage<1>>>);
static_assert(gives<pipeline<stage<fwd<out<x>>, bwd<out<x>>>>,
                    error::written_twice<bwd<out<x>>, x, in_stage<0>>>);
static_assert(gives<pipeline<stage<rate, lrs<tag<1>, out<lr>>>>,
                    error::written_twice<lrs<tag<1>, out<lr>>, lr, in_stage<0>>>);
static_assert(legal<pipeline<stage<rate>, stage<lrs<tag<1>, out<lr>>>>>);
static_assert(gives<pipeline<stage<opt<out<w>>, opt<tag<1>, out<w>>>>,
                    error::written_twice<opt<tag<1>, out<w>>, w, in_stage<0>>>);
static_assert(legal<pipeline<stage<opt<out<w>>, opt<tag<1>, inout<w>>>>>);
// Set and added to, in either order.
static_assert(gives<pipeline<stage<bwd<out<dx>>, bwd<accumulate<dx>>>>,
                    error::written_twice<bwd<accumulate<dx>>, dx, in_stage<0>>>);
static_assert(gives<pipeline<stage<bwd<accumulate<dx>>, bwd<out<dx>>>>,
                    error::written_twice<bwd<out<dx>>, dx, in_stage<0>>>);
static_assert(gives<pipeline<stage<rate, fwd<accumulate<lr>>>>,
                    error::written_twice<fwd<accumulate<lr>>, lr, in_stage<0>>>);
// Any number of addends.
static_assert(legal<pipeline<stage<first_addend, second_addend>>>);
static_assert(legal<pipeline<stage<fwd<accumulate<lr>>, bwd<accumulate<lr>>>>>);
static_assert(legal<pipeline<stage<bwd<accumulate<dw>>, bwd<tag<1>, accumulate<dw>>>>>);

// -- written_in_two_stages
static_assert(gives<pipeline<stage<load>, stage<load>>,
                    error::written_in_two_stages<x, in_stage<0>, in_stage<1>>>);
static_assert(legal<pipeline<stage<load>, stage<fwd<out<y>>>>>);
static_assert(gives<pipeline<stage<load>, stage<fwd<inout<x>>>>,
                    error::written_in_two_stages<x, in_stage<0>, in_stage<1>>>);
static_assert(legal<pipeline<stage<load>, stage<fwd<in<x>, out<y>>>>>);
static_assert(gives<pipeline<stage<bwd<inout<dx>>>, stage<bwd<out<dx>>>>,
                    error::written_in_two_stages<dx, in_stage<1>, in_stage<0>>>);
static_assert(gives<pipeline<stage<first_addend>, stage<first_addend>>,
                    error::written_in_two_stages<dx, in_stage<0>, in_stage<1>>>);
static_assert(gives<pipeline<stage<load>, stage<idle>, stage<fwd<in<x>>, load>>,
                    error::written_in_two_stages<x, in_stage<0>, in_stage<2>>>);

// -- used_in_two_stages
template <class V, class Op>
concept bound_to_its_stage = legal<pipeline<stage<Op>>> &&
    (gives<pipeline<stage<Op>, stage<Op>>,
           error::used_in_two_stages<
               V, in_stage<0>, in_stage<1>>>)&&(gives<pipeline<stage<Op>, stage<idle>, stage<Op>>,
                                                      error::used_in_two_stages<V, in_stage<0>,
                                                                                in_stage<2>>>);
static_assert(bound_to_its_stage<w, fwd<in<w>>>);
static_assert(bound_to_its_stage<w, opt<inout<w>>>);
static_assert(bound_to_its_stage<dw, bwd<accumulate<dw>>>);
static_assert(bound_to_its_stage<momentum, opt<inout<momentum>>>);
static_assert(bound_to_its_stage<mean, fwd<inout<mean>>>);
static_assert(bound_to_its_stage<mean, fwd<in<mean>>>);

// -- forward_read_of_later_stage
static_assert(gives<pipeline<stage<fwd<in<x>>>, stage<load>>,
                    error::forward_read_of_later_stage<fwd<in<x>>, x, in_stage<1>, in_stage<0>>>);
static_assert(legal<pipeline<stage<load>, stage<fwd<in<x>>>>>);
static_assert(legal<pipeline<stage<bwd<in<x>>>, stage<load>>>);
static_assert(gives<pipeline<stage<idle>, stage<fwd<in<x>>>, stage<idle>, stage<load>>,
                    error::forward_read_of_later_stage<fwd<in<x>>, x, in_stage<3>, in_stage<1>>>);

// -- forward_read_of_backward_value: in any stage
using reads_dx = fwd<in<dx>>;
static_assert(gives<pipeline<stage<bwd<out<dx>>, reads_dx>>,
                    error::forward_read_of_backward_value<reads_dx, dx>>);
static_assert(gives<pipeline<stage<reads_dx>, stage<bwd<out<dx>>>>,
                    error::forward_read_of_backward_value<reads_dx, dx>>);
static_assert(gives<pipeline<stage<bwd<out<dx>>>, stage<reads_dx>>,
                    error::forward_read_of_backward_value<reads_dx, dx>>);
static_assert(legal<pipeline<stage<bwd<out<dx>>, bwd<in<dx>>>>>);
// A gradient that a forward op makes, as a loss does, is a forward value.
static_assert(legal<pipeline<stage<fwd<out<dx>>, reads_dx>>>);
static_assert(legal<pipeline<stage<fwd<out<dx>>>, stage<reads_dx>>>);
static_assert(legal<pipeline<stage<bwd<in<dx>>>, stage<fwd<out<dx>>>>>);
// An activation that a backward op makes is a backward value.
static_assert(gives<pipeline<stage<bwd<out<x>>, fwd<in<x>>>>,
                    error::forward_read_of_backward_value<fwd<in<x>>, x>>);
static_assert(gives<pipeline<stage<bwd<out<x>>, fwd<inout<x>>>>,
                    error::forward_read_of_backward_value<fwd<inout<x>>, x>>);

// -- changed_after_sending: an inout in backward comes after the value has left
static_assert(gives<pipeline<stage<load, bwd<in<y>>>, stage<fwd<in<x>, out<y>>, bwd<inout<y>>>>,
                    error::changed_after_sending<bwd<in<y>>, y, in_stage<1>, in_stage<0>>>);
static_assert(gives<pipeline<stage<load, bwd<inout<x>>>, stage<opt<in<x>>>>,
                    error::changed_after_sending<opt<in<x>>, x, in_stage<0>, in_stage<1>>>);
// In forward it comes before; a later stage's backward is before the change in any case.
static_assert(legal<pipeline<stage<load, bwd<in<y>>>, stage<fwd<in<x>, out<y>>, fwd<inout<y>>>>>);
static_assert(legal<pipeline<stage<load, bwd<inout<x>>>, stage<bwd<in<x>>>>>);
static_assert(legal<pipeline<stage<load, bwd<inout<x>>, opt<in<x>>>>>);

// -- backward_send_from_first_stage
static_assert(gives<pipeline<stage<bwd<out<dx>>>, stage<bwd<in<dx>>>>,
                    error::backward_send_from_first_stage<bwd<in<dx>>, dx, in_stage<1>>>);
static_assert(legal<pipeline<stage<bwd<in<dx>>>, stage<bwd<out<dx>>>>>);
static_assert(legal<pipeline<stage<bwd<out<dx>>, bwd<in<dx>>>, stage<idle>>>);
static_assert(gives<pipeline<stage<first_addend>, stage<idle>, stage<opt<in<dx>>>>,
                    error::backward_send_from_first_stage<opt<in<dx>>, dx, in_stage<2>>>);

// -- backward_read_of_earlier_stage
static_assert(
    gives<pipeline<stage<idle>, stage<bwd<out<dx>>>, stage<bwd<in<dx>>>>,
          error::backward_read_of_earlier_stage<bwd<in<dx>>, dx, in_stage<1>, in_stage<2>>>);
static_assert(legal<pipeline<stage<idle>, stage<bwd<in<dx>>>, stage<bwd<out<dx>>>>>);
static_assert(legal<pipeline<stage<idle>, stage<fwd<out<dx>>>, stage<bwd<in<dx>>>>>);

// -- lr_schedule_reads_activation: nor does one write one
static_assert(
    gives<pipeline<stage<load, lrs<in<x>>>>, error::lr_schedule_reads_activation<lrs<in<x>>, x>>);
static_assert(gives<pipeline<stage<load>, stage<lrs<in<x>>>>,
                    error::lr_schedule_reads_activation<lrs<in<x>>, x>>);
static_assert(op_gives<lrs<out<x>>, error::lr_schedule_reads_activation<lrs<out<x>>, x>>);
static_assert(op_gives<lrs<inout<dx>>, error::lr_schedule_reads_activation<lrs<inout<dx>>, dx>>);
static_assert(legal<pipeline<stage<rate, lrs<in<lr>, in<mean>, in<w>, bs::step_index>>>>);

// -- only_optimize_writes_parameters
template <class Op, class V>
concept weights_refused = (op_gives<Op, error::only_optimize_writes_parameters<Op, V>>);
static_assert(weights_refused<fwd<out<w>>, w>);
static_assert(weights_refused<fwd<inout<w>>, w>);
static_assert(weights_refused<bwd<out<w>>, w>);
static_assert(weights_refused<bwd<inout<w>>, w>);
static_assert(weights_refused<lrs<out<w>>, w>);
static_assert(weights_refused<lrs<inout<w>>, w>);
static_assert(weights_refused<fwd<inout<momentum>>, momentum>);
static_assert(weights_refused<bwd<out<momentum>>, momentum>);
static_assert(op_legal<opt<out<w>>>);
static_assert(op_legal<opt<inout<w>>>);
static_assert(op_legal<opt<inout<momentum>>>);
static_assert(op_legal<opt<out<momentum>>>);
static_assert(op_legal<fwd<in<momentum>>>);

// -- ..._access_refused
template <template <class, class, class> class Rule, class Op, class Access, class Role>
concept refused = (gives<pipeline<stage<Op>>, Rule<Op, Access, Role>>);
// activation: never a sum
static_assert(
    refused<error::activation_access_refused, fwd<accumulate<x>>, accumulate<x>, bs::forward>);
static_assert(
    refused<error::activation_access_refused, bwd<accumulate<x>>, accumulate<x>, bs::backward>);
static_assert(
    refused<error::activation_access_refused, opt<accumulate<x>>, accumulate<x>, bs::optimize>);
static_assert(refused<error::activation_access_refused, opt<out<x>>, out<x>, bs::optimize>);
static_assert(refused<error::activation_access_refused, opt<inout<x>>, inout<x>, bs::optimize>);
static_assert(op_legal<fwd<out<x>>>);
static_assert(op_legal<bwd<out<x>>>);
// activation_gradient: a sum in backward ops only
static_assert(
    refused<error::activation_access_refused, fwd<accumulate<dx>>, accumulate<dx>, bs::forward>);
static_assert(
    refused<error::activation_access_refused, opt<accumulate<dx>>, accumulate<dx>, bs::optimize>);
static_assert(refused<error::activation_access_refused, opt<out<dx>>, out<dx>, bs::optimize>);
static_assert(op_legal<bwd<accumulate<dx>>>);
static_assert(op_legal<bwd<out<dx>>>);
static_assert(op_legal<fwd<out<dx>>>);
// gradient: accumulated by backward ops, scaled by optimize ops
static_assert(
    refused<error::gradient_access_refused, fwd<accumulate<dw>>, accumulate<dw>, bs::forward>);
static_assert(
    refused<error::gradient_access_refused, opt<accumulate<dw>>, accumulate<dw>, bs::optimize>);
static_assert(
    refused<error::gradient_access_refused, lrs<accumulate<dw>>, accumulate<dw>, bs::lr_schedule>);
static_assert(refused<error::gradient_access_refused, fwd<in<dw>>, in<dw>, bs::forward>);
static_assert(refused<error::gradient_access_refused, lrs<in<dw>>, in<dw>, bs::lr_schedule>);
static_assert(
    refused<error::gradient_access_refused, bwd<in<dw>>, in<dw>, bs::backward>);  // a partial sum
static_assert(refused<error::gradient_access_refused, bwd<out<dw>>, out<dw>, bs::backward>);
static_assert(refused<error::gradient_access_refused, bwd<inout<dw>>, inout<dw>, bs::backward>);
static_assert(refused<error::gradient_access_refused, opt<out<dw>>, out<dw>, bs::optimize>);
static_assert(op_legal<bwd<accumulate<dw>>>);
static_assert(legal<pipeline<stage<bwd<accumulate<dw>>, opt<inout<dw>>>>>);
// parameter and state: never a sum
static_assert(
    refused<error::parameter_access_refused, opt<accumulate<w>>, accumulate<w>, bs::optimize>);
static_assert(
    refused<error::parameter_access_refused, bwd<accumulate<w>>, accumulate<w>, bs::backward>);
static_assert(refused<error::parameter_access_refused, opt<accumulate<momentum>>,
                      accumulate<momentum>, bs::optimize>);
// step_value: set once, or summed where micro-batches are
static_assert(refused<error::step_value_access_refused, fwd<out<lr>>, out<lr>, bs::forward>);
static_assert(refused<error::step_value_access_refused, bwd<out<lr>>, out<lr>, bs::backward>);
static_assert(refused<error::step_value_access_refused, fwd<inout<lr>>, inout<lr>, bs::forward>);
static_assert(refused<error::step_value_access_refused, lrs<accumulate<lr>>, accumulate<lr>,
                      bs::lr_schedule>);
static_assert(
    refused<error::step_value_access_refused, opt<accumulate<lr>>, accumulate<lr>, bs::optimize>);
static_assert(op_legal<lrs<out<lr>>>);
static_assert(op_legal<opt<out<lr>>>);
static_assert(op_legal<fwd<accumulate<lr>>>);
static_assert(op_legal<bwd<accumulate<lr>>>);
// buffer: updated in place by forward ops
static_assert(refused<error::buffer_access_refused, fwd<out<mean>>, out<mean>, bs::forward>);
static_assert(
    refused<error::buffer_access_refused, fwd<accumulate<mean>>, accumulate<mean>, bs::forward>);
static_assert(refused<error::buffer_access_refused, bwd<inout<mean>>, inout<mean>, bs::backward>);
static_assert(refused<error::buffer_access_refused, opt<inout<mean>>, inout<mean>, bs::optimize>);
static_assert(
    refused<error::buffer_access_refused, lrs<inout<mean>>, inout<mean>, bs::lr_schedule>);
static_assert(op_legal<fwd<inout<mean>>>);
static_assert(op_legal<bwd<in<mean>>>);
static_assert(op_legal<opt<in<mean>>>);

// -- edge_not_transferable: what cannot be copied crosses at its last use
struct token : bs::activation<move_only> {};
struct d_token : bs::activation_gradient<token> {};
using make = fwd<out<token>>;
using use = fwd<in<token>>;
static_assert(legal<pipeline<stage<make>, stage<use>>>);
static_assert(legal<pipeline<stage<make, use>, stage<use>>>);
static_assert(legal<pipeline<stage<make>, stage<use, bwd<in<token>>, opt<in<token>>>>>);
static_assert(legal<pipeline<stage<make, use, bwd<in<token>>>, stage<idle>>>);
// The sender reads it later.
static_assert(gives<pipeline<stage<make, bwd<in<token>>>, stage<use>>,
                    error::edge_not_transferable<token, in_stage<0>, in_stage<1>>>);
static_assert(gives<pipeline<stage<make, opt<in<token>>>, stage<use>>,
                    error::edge_not_transferable<token, in_stage<0>, in_stage<1>>>);
// Two receivers cannot have the same one.
static_assert(gives<pipeline<stage<make>, stage<use>, stage<use>>,
                    error::edge_not_transferable<token, in_stage<0>, in_stage<1>>>);
static_assert(gives<pipeline<stage<bwd<in<token>>>, stage<make>, stage<use>>,
                    error::edge_not_transferable<token, in_stage<1>, in_stage<0>>>);
// Backwards.
static_assert(legal<pipeline<stage<bwd<in<d_token>>>, stage<bwd<out<d_token>>>>>);
static_assert(legal<pipeline<stage<bwd<in<d_token>>>, stage<bwd<out<d_token>>, bwd<in<d_token>>>>>);
static_assert(gives<pipeline<stage<bwd<in<d_token>>>, stage<bwd<out<d_token>>, opt<in<d_token>>>>,
                    error::edge_not_transferable<d_token, in_stage<1>, in_stage<0>>>);
// What can be copied may be read on both sides.
struct text : bs::activation<std::string> {};
static_assert(legal<pipeline<stage<fwd<out<text>>, bwd<in<text>>>, stage<fwd<in<text>>>,
                             stage<fwd<in<text>>>>>);

// ===================================================================================================
// Order of the rules: one fault is reported, the outermost one; then the first in program order
// ===================================================================================================
static_assert(gives<pipeline<stage<fwd<in<x>>>, stage<>>, error::empty_stage<in_stage<1>>>);
static_assert(gives<pipeline<stage<fwd<in<x>>, no_role>>, error::op_without_role<no_role>>);
static_assert(gives<pipeline<stage<fwd<in<x>>, fwd<in<y>>>>,
                    error::read_but_never_written<fwd<in<x>>, x, in_stage<0>>>);

// ===================================================================================================
// Legal models of some size
// ===================================================================================================

// A stage that only reads, one that only writes, one without forward and one without backward ops.
static_assert(legal<pipeline<stage<load>, stage<fwd<in<x>>>>>);
static_assert(legal<pipeline<stage<bwd<in<dx>>>, stage<bwd<out<dx>>>>>);
static_assert(legal<pipeline<stage<opt<inout<w>>>>>);
static_assert(legal<pipeline<stage<rate>>>);
// An activation that nobody reads is an output.
static_assert(legal<pipeline<stage<fwd<out<x>, out<y>, out<dx>>>>>);
// A gradient of another stage's activation, batch statistics, a summed loss, clipping by state.
struct total : bs::step_value<double> {};
struct norm : bs::step_value<double> {};
static_assert(
    legal<pipeline<
        stage<rate, load, fwd<in<x>, in<w>, inout<mean>, out<y>>,
              bwd<in<dy>, in<x>, in<mean>, accumulate<dw>>, opt<in<dw>, out<norm>>,
              opt<in<norm>, inout<dw>>, opt<in<lr>, in<dw>, inout<momentum>, inout<w>>>,
        stage<op<bs::forward, in<y>, out<z>, accumulate<total>>, bwd<in<z>, in<y>, accumulate<dy>>,
              bwd<tag<1>, in<y>, accumulate<dy>>, opt<in<total>, bs::step_index>>>>);

}  // namespace test_verdicts
