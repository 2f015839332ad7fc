// Cross-stage edges, derived from the variables that ops name.
#include <backstitch/model/edges.hpp>

#include "model/ops.hpp"

#include <type_traits>

namespace bs = backstitch;
using bs::accumulate, bs::in, bs::inout, bs::out, bs::pipeline, bs::stage;
using bs::detail::edges_v;
using bs::test::bwd, bs::test::fwd, bs::test::lrs, bs::test::opt;

namespace test_edges {

struct x : bs::activation<float[4]> {};
struct y : bs::activation<float[4]> {};
struct z : bs::activation<float[4]> {};
struct dy : bs::activation_gradient<y> {};
struct w : bs::parameter<float[4]> {};
struct dw : bs::gradient<w> {};
struct momentum : bs::state<w> {};
struct lr : bs::step_value<float> {};
struct mean : bs::buffer<float[4]> {};

// The number of edges of a model that is legal.
template <class... Stages>
constexpr int count() {
  static_assert(
      std::is_same_v<bs::detail::model_verdict<pipeline<Stages...>>, bs::error::accepted>);
  return edges_v<pipeline<Stages...>>.count;
}

// How often V goes from one stage to another; made and used as said.
enum class phase { forward, backward };
template <class V, class... Stages>
constexpr int edges(int from, int to, phase made, phase used) {
  static_assert(
      std::is_same_v<bs::detail::model_verdict<pipeline<Stages...>>, bs::error::accepted>);
  int n = 0;
  const auto& list = edges_v<pipeline<Stages...>>;
  for (int i = 0; i < list.count; ++i) {
    const auto& e = list.edge[i];
    n += e.variable == bs::detail::variable_number<pipeline<Stages...>, V> && e.from == from &&
         e.to == to && e.made_forward == (made == phase::forward) &&
         e.used_forward == (used == phase::forward);
  }
  return n;
}
constexpr auto F = phase::forward;
constexpr auto B = phase::backward;

// -- nothing crosses
// -------------------------------------------------------------------------------
static_assert(count<stage<fwd<>>>() == 0);
static_assert(count<stage<fwd<>>, stage<fwd<>>>() == 0);
// A value that is used where it is made, forward and backward.
static_assert(count<stage<fwd<out<x>>, fwd<in<x>>, bwd<in<x>>, opt<in<x>>>, stage<fwd<>>>() == 0);
// One that no op reads is an output of its stage.
static_assert(count<stage<fwd<out<x>>>, stage<fwd<out<y>>>>() == 0);
// Every stage has its own step value, and its own LR op, which may be of one type.
using rate = lrs<bs::step_index, out<lr>>;
static_assert(count<stage<rate, fwd<in<lr>>>, stage<rate, bwd<in<lr>>>, stage<rate>>() == 0);
// Parameters, their gradients and state, and buffers stay where they are.
static_assert(count<stage<fwd<in<w>, inout<mean>>, bwd<accumulate<dw>>,
                          opt<in<dw>, inout<w>, inout<momentum>>>,
                    stage<fwd<>>>() == 0);

// -- forward edges
// ---------------------------------------------------------------------------------
using next = pipeline<stage<fwd<out<x>>>, stage<fwd<in<x>>>>;
static_assert(edges_v<next>.count == 1);
static_assert(edges<x, stage<fwd<out<x>>>, stage<fwd<in<x>>>>(0, 1, F, F) == 1);
// A sender that reads it too changes nothing.
static_assert(count<stage<fwd<out<x>>, fwd<in<x>>, bwd<in<x>>>, stage<fwd<in<x>>>>() == 1);
// Nor does one that finishes it in a second op.
static_assert(count<stage<fwd<out<x>>, fwd<inout<x>>>, stage<fwd<in<x>>>>() == 1);
// Two readers in one stage are one message.
static_assert(count<stage<fwd<out<x>>>, stage<fwd<in<x>, out<y>>, fwd<in<x>, out<z>>>>() == 1);
// Forward and backward readers in one stage are one message, sent in time for the forward.
static_assert(count<stage<fwd<out<x>>>, stage<fwd<in<x>>, bwd<in<x>>>>() == 1);
static_assert(edges<x, stage<fwd<out<x>>>, stage<fwd<in<x>>, bwd<in<x>>>>(0, 1, F, F) == 1);
// The order in which they are written does not matter.
static_assert(edges<x, stage<fwd<out<x>>>, stage<bwd<in<x>>, fwd<in<x>>>>(0, 1, F, F) == 1);

// -- skip edges
// ------------------------------------------------------------------------------------ Labels: from
// the first stage to the last, past stages that do not name them.
using through = stage<fwd<>>;
static_assert(count<stage<fwd<out<x>>>, through, through, stage<fwd<in<x>>>>() == 1);
static_assert(edges<x, stage<fwd<out<x>>>, through, through, stage<fwd<in<x>>>>(0, 3, F, F) == 1);
// One value for several stages: one edge each, all from the stage that made it.
using fan_out_to_2 = stage<fwd<in<x>, out<z>>>;
static_assert(count<stage<fwd<out<x>>>, stage<fwd<in<x>, out<y>>>, fan_out_to_2>() == 2);
static_assert(edges<x, stage<fwd<out<x>>>, stage<fwd<in<x>, out<y>>>, fan_out_to_2>(0, 1, F, F) ==
              1);
static_assert(edges<x, stage<fwd<out<x>>>, stage<fwd<in<x>, out<y>>>, fan_out_to_2>(0, 2, F, F) ==
              1);

// -- forward values that only backward ops read
// ----------------------------------------------------
static_assert(count<stage<fwd<out<x>>>, stage<bwd<in<x>>>>() == 1);
static_assert(edges<x, stage<fwd<out<x>>>, stage<bwd<in<x>>>>(0, 1, F, B) == 1);
// In an earlier stage too: its backward comes after every forward of the micro-batch.
static_assert(count<stage<bwd<in<x>>>, stage<fwd<out<x>>>>() == 1);
static_assert(edges<x, stage<bwd<in<x>>>, stage<fwd<out<x>>>>(1, 0, F, B) == 1);
// An optimize op reads the last micro-batch's.
static_assert(edges<x, stage<fwd<out<x>>>, stage<opt<in<x>>>>(0, 1, F, B) == 1);

// -- backward edges
// --------------------------------------------------------------------------------
static_assert(count<stage<bwd<in<dy>>>, stage<bwd<out<dy>>>>() == 1);
static_assert(edges<dy, stage<bwd<in<dy>>>, stage<bwd<out<dy>>>>(1, 0, B, B) == 1);
// Summed in the stage that makes it.
using residual = stage<bwd<accumulate<dy>>, bwd<bs::test::tag<1>, accumulate<dy>>>;
static_assert(edges<dy, stage<bwd<in<dy>>>, residual>(1, 0, B, B) == 1);
// Backward skip edge.
static_assert(edges<dy, stage<bwd<in<dy>>>, through, stage<bwd<out<dy>>>>(2, 0, B, B) == 1);
// A gradient that the loss, a forward op, has written is made forward.
static_assert(edges<dy, stage<bwd<in<dy>>>, stage<fwd<out<dy>>>>(1, 0, F, B) == 1);

// -- a whole chain
// ---------------------------------------------------------------------------------
struct x1 : bs::activation<float[4]> {};
struct x2 : bs::activation<float[4]> {};
struct labels : bs::activation<int[4]> {};
struct dx1 : bs::activation_gradient<x1> {};
struct dx2 : bs::activation_gradient<x2> {};
using chain =
    pipeline<stage<rate, fwd<out<x>, out<labels>>, fwd<in<x>, in<w>, out<x1>>,
                   bwd<in<x>, in<dx1>, accumulate<dw>>, opt<in<lr>, in<dw>, inout<w>>>,
             stage<fwd<in<x1>, out<x2>>, bwd<in<dx2>, in<x1>, out<dx1>>>,
             stage<fwd<in<x2>, in<labels>, out<y>>, bwd<in<y>, in<x2>, in<labels>, out<dx2>>>>;
static_assert(std::is_same_v<bs::detail::model_verdict<chain>, bs::error::accepted>);
static_assert(edges_v<chain>.count == 5);  // labels 0->2, x1 0->1, dx1 1->0, x2 1->2, dx2 2->1
// In the order in which their variables are first named.
static_assert(edges_v<chain>.edge[0].variable == bs::detail::variable_number<chain, labels>);
static_assert(edges_v<chain>.edge[1].variable == bs::detail::variable_number<chain, x1>);

}  // namespace test_edges
