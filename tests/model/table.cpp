// The model as plain data: what is counted, and the way back from numbers to types.
#include <backstitch/model/table.hpp>

#include "model/ops.hpp"

#include <type_traits>

namespace bs = backstitch;
using bs::accumulate, bs::in, bs::inout, bs::op_group, bs::out, bs::stage;
using bs::backward_half;
using bs::detail::bit;
using bs::detail::bits_of;
using bs::detail::model_v;
using bs::detail::variable_number;
using bs::test::bwd, bs::test::fwd, bs::test::lrs, bs::test::opt;

namespace test_table {

struct x : bs::activation<float[8]> {};
struct y : bs::activation<float[4]> {};
struct dy : bs::activation_gradient<y> {};
struct w : bs::parameter<float[4]> {};
struct dw : bs::gradient<w> {};
struct lr : bs::step_value<float> {};
struct elsewhere : bs::activation<int> {};

// One op type for each line, so that the numbers below can be followed.
using load = fwd<bs::micro_batch, out<x>>;
using rate = lrs<bs::step_index, out<lr>>;
using dense = fwd<in<x>, in<w>, out<y>>;
using dense_dw = bwd<in<x>, in<dy>, accumulate<dw>>;
using sgd = opt<in<lr>, in<dw>, inout<w>>;
using loss = fwd<in<y>, out<dy>>;

using model = bs::pipeline<stage<load, rate, dense, dense_dw, sgd>, stage<loss, rate>>;
constexpr const auto& t = model_v<model>;

// Ops stand in the order written, stage by stage.
static_assert(t.stages == 2);
static_assert(t.ops == 7);
static_assert(t.first_op[0] == 0 && t.first_op[1] == 5 && t.first_op[2] == 7);
static_assert(t.op[0].group == op_group::forward && t.op[1].group == op_group::lr_schedule);
static_assert(t.op[3].group == op_group::backward && t.op[4].group == op_group::optimize);
static_assert(t.op[4].stage == 0 && t.op[5].stage == 1);

// Positions are arguments, but no accesses.
static_assert(t.accesses == 1 + 1 + 3 + 3 + 3 + 2 + 1);
static_assert(t.op[0].accesses == 1 && t.access[0].argument == 1);
static_assert(t.op[4].first_access == 8 && t.op[4].accesses == 3);
static_assert(t.access[10].access == bs::access_kind::inout && t.access[10].op == 4);

// A variable counts once; a use counts once per stage that names it.
static_assert(t.variables == 6);                // x, lr, w, y, dy, dw
static_assert(t.uses == 6 + 3);                 // stage 1: y, dy, lr
static_assert(variable_number<model, x> == 0);  // numbered in the order of first naming
static_assert(variable_number<model, lr> == 1);
static_assert(variable_number<model, elsewhere> == -1);
constexpr const auto& row_of_w = t.variable[variable_number<model, w>];
static_assert(row_of_w.kind == bs::variable_kind::parameter);
static_assert(row_of_w.value.bytes == sizeof(float[4]));

// What a stage does with a variable, as masks over the groups.
constexpr const auto& x_in_0 = t.use[t.find_use(variable_number<model, x>, 0)];
static_assert(x_in_0.writes == bit(op_group::forward));
static_assert(x_in_0.reads ==
              (bit(op_group::forward) | bits_of(op_group::backward, backward_half::weight)));
static_assert(x_in_0.produces());
constexpr const auto& w_in_0 = t.use[t.find_use(variable_number<model, w>, 0)];
static_assert(w_in_0.reads == (bit(op_group::forward) | bit(op_group::optimize)));
static_assert(w_in_0.updates == bit(op_group::optimize) && w_in_0.writes == 0);
constexpr const auto& dw_in_0 = t.use[t.find_use(variable_number<model, dw>, 0)];
static_assert(dw_in_0.accumulates == bits_of(op_group::backward, backward_half::weight) &&
              dw_in_0.produces());
static_assert(t.find_use(variable_number<model, x>, 1) == -1);

// The stage that writes a variable, wherever it stands among its uses.
static_assert(t.use[t.producer(variable_number<model, y>)].stage == 0);
static_assert(t.use[t.producer(variable_number<model, dy>)].stage == 1);
static_assert(t.producer(variable_number<model, w>) == -1);

// From numbers back to types.
static_assert(std::is_same_v<bs::detail::op_at<model, 0>, load>);
static_assert(std::is_same_v<bs::detail::op_at<model, 5>, loss>);
static_assert(std::is_same_v<bs::detail::variable_at<model, 0>, x>);
static_assert(std::is_same_v<bs::detail::variable_at<model, variable_number<model, dw>>, dw>);
static_assert(std::is_same_v<bs::detail::access_type_at<model, 10>::type, w>);

// One op type may stand in several stages: a number for each.
static_assert(bs::detail::find_op<model, rate, 0>() == 1);
static_assert(bs::detail::find_op<model, rate, 1>() == 6);
static_assert(bs::detail::find_op<model, load, 1>() == -1);
static_assert(bs::detail::find_op<model, fwd<>, 0>() == -1);

// Ops without variables, and stages without any.
using bare = bs::pipeline<stage<fwd<>, bwd<>>, stage<fwd<bs::stage_index>>>;
static_assert(model_v<bare>.ops == 3);
static_assert(model_v<bare>.accesses == 0);
static_assert(model_v<bare>.variables == 0);
static_assert(model_v<bare>.uses == 0);

// An op that reads one variable through two parameters: two accesses, one use.
using twice = bs::pipeline<stage<load, fwd<in<x>, in<x>>>>;
static_assert(model_v<twice>.accesses == 3);
static_assert(model_v<twice>.variables == 1);
static_assert(model_v<twice>.uses == 1);

// Uses of one variable are linked in stage order, however many stages stand between.
using skipping = bs::pipeline<stage<load>, stage<fwd<>>, stage<fwd<in<x>>>, stage<bwd<in<x>>>>;
constexpr const auto& s = model_v<skipping>;
constexpr const auto& first = s.use[s.variable[0].first_use];
static_assert(first.stage == 0 && s.use[first.next].stage == 2);
static_assert(s.use[s.use[first.next].next].stage == 3);
static_assert(s.variable[0].last_use == s.use[first.next].next);
static_assert(s.use[s.variable[0].last_use].next == -1);

}  // namespace test_table
