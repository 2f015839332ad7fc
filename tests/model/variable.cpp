// Variables: kind and value type, given or taken from the variable that they belong to.
#include <backstitch/model/variable.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace bs = backstitch;
using bs::value_t;
using bs::variable_kind;

namespace test_variable {

struct x : bs::activation<float[32][64]>{};
struct y : bs::activation<std::vector<int>> {};
struct w : bs::parameter<float[64][10]>{};
struct dx : bs::activation_gradient<x> {};
struct dy : bs::activation_gradient<y> {};
struct dw : bs::gradient<w> {};
struct momentum : bs::state<w> {};
struct updates : bs::state<w, int> {};
struct lr : bs::step_value<float> {};
struct mean : bs::buffer<double[10]> {};

// The kind is the base class.
static_assert(x::kind == variable_kind::activation);
static_assert(dx::kind == variable_kind::activation_gradient);
static_assert(w::kind == variable_kind::parameter);
static_assert(dw::kind == variable_kind::gradient);
static_assert(momentum::kind == variable_kind::state);
static_assert(lr::kind == variable_kind::step_value);
static_assert(mean::kind == variable_kind::buffer);

// The value type: given...
static_assert(std::is_same_v<value_t<x>, float[32][64]>);
static_assert(std::is_same_v<value_t<w>, float[64][10]>);
static_assert(std::is_same_v<value_t<lr>, float>);
static_assert(std::is_same_v<value_t<mean>, double[10]>);
// ... or that of the owner.
static_assert(std::is_same_v<value_t<dx>, value_t<x>>);
static_assert(std::is_same_v<value_t<dy>, std::vector<int>>);
static_assert(std::is_same_v<value_t<dw>, value_t<w>>);
static_assert(std::is_same_v<value_t<momentum>, value_t<w>>);
// Optimizer state may have a type of its own: a step count beside a matrix.
static_assert(std::is_same_v<value_t<updates>, int>);

// The owner is known.
static_assert(std::is_same_v<dx::of, x>);
static_assert(std::is_same_v<dw::of, w>);
static_assert(std::is_same_v<momentum::of, w>);
static_assert(std::is_same_v<updates::of, w>);

// What counts as a variable.
struct derived : x {};  // a second activation of the same shape
struct two_kinds : bs::activation<int>, bs::buffer<int> {};
struct no_kind {
  using value_type = int;
};
static_assert(bs::variable<x> && bs::variable<dx> && bs::variable<w> && bs::variable<dw>);
static_assert(bs::variable<momentum> && bs::variable<lr> && bs::variable<mean>);
static_assert(bs::variable<derived>);
static_assert(!bs::variable<two_kinds>);
static_assert(!bs::variable<no_kind>);
static_assert(!bs::variable<float>);
static_assert(!bs::variable<std::vector<int>>);

// Which kinds live per micro-batch, and which never leave their stage.
static_assert(bs::is_per_micro_batch(variable_kind::activation));
static_assert(bs::is_per_micro_batch(variable_kind::activation_gradient));
static_assert(!bs::is_per_micro_batch(variable_kind::gradient));
static_assert(!bs::is_per_micro_batch(variable_kind::step_value));
static_assert(bs::is_stage_bound(variable_kind::parameter));
static_assert(bs::is_stage_bound(variable_kind::gradient));
static_assert(bs::is_stage_bound(variable_kind::state));
static_assert(bs::is_stage_bound(variable_kind::buffer));
static_assert(!bs::is_stage_bound(variable_kind::activation));
static_assert(!bs::is_stage_bound(variable_kind::step_value));

// An initialiser is found when it takes the value.
struct ones : bs::parameter<float[4]> {
  static void init(float (&value)[4]);
};
struct takes_no_value : bs::parameter<float> {
  static void init();
};
static_assert(bs::detail::has_init<ones>);
static_assert(!bs::detail::has_init<w>);
static_assert(!bs::detail::has_init<takes_no_value>);

// What the plan may do with a value.
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
constexpr auto facts_of_array = bs::detail::facts_of_value<float[32][64]>();
static_assert(facts_of_array.bytes == 32 * 64 * sizeof(float));
static_assert(facts_of_array.alignment == alignof(float));
static_assert(facts_of_array.trivial_copy && facts_of_array.trivial_destroy);
static_assert(facts_of_array.copyable && facts_of_array.usable);
constexpr auto facts_of_text = bs::detail::facts_of_value<std::string>();
static_assert(!facts_of_text.trivial_copy && !facts_of_text.trivial_destroy);
static_assert(facts_of_text.copyable && facts_of_text.usable);
static_assert(!bs::detail::facts_of_value<move_only>().copyable);
static_assert(bs::detail::facts_of_value<move_only>().usable);
static_assert(!bs::detail::facts_of_value<move_only[2]>().copyable);
static_assert(bs::detail::facts_of_value<move_only[2]>().usable);
static_assert(!bs::detail::facts_of_value<pinned>().usable);
static_assert(!bs::detail::facts_of_value<no_default>().usable);
static_assert(!bs::detail::facts_of_value<const int>().usable);
struct alignas(64) line {
  float f[16];
};
static_assert(bs::detail::facts_of_value<line[2]>().alignment == 64);

}  // namespace test_variable
