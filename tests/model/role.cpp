// Role numbers and groups: those of the reference worker, so that a program's attribute converts.
#include <backstitch/model/role.hpp>

#include <string_view>

namespace bs = backstitch;

namespace test_role {

// The flags as the reference worker writes them.
static_assert(static_cast<int>(bs::role::forward) == 0x0);
static_assert(static_cast<int>(bs::role::backward) == 0x1);
static_assert(static_cast<int>(bs::role::optimize) == 0x2);
static_assert(static_cast<int>(bs::role::rpc) == 0x4);
static_assert(static_cast<int>(bs::role::dist) == 0x8);
static_assert(static_cast<int>(bs::role::lr_schedule) == 0x10);
static_assert(static_cast<int>(bs::role::collective) == 0x20);
static_assert(static_cast<int>(bs::role::loss) == 0x100);
// `loss` is a modifier, in either order.
static_assert(static_cast<int>(bs::role::loss | bs::role::forward) == 0x100);
static_assert(static_cast<int>(bs::role::loss | bs::role::backward) == 0x101);
static_assert((bs::role::forward | bs::role::loss) == (bs::role::loss | bs::role::forward));

// The base classes of an op say its flags.
template <class... Bases>
struct op : Bases... {};
static_assert(bs::role_of<op<bs::forward>>() == bs::role::forward);
static_assert(bs::role_of<op<bs::backward>>() == bs::role::backward);
static_assert(bs::role_of<op<bs::optimize>>() == bs::role::optimize);
static_assert(bs::role_of<op<bs::lr_schedule>>() == bs::role::lr_schedule);
static_assert(bs::role_of<op<bs::rpc>>() == bs::role::rpc);
static_assert(bs::role_of<op<bs::dist>>() == bs::role::dist);
static_assert(bs::role_of<op<bs::collective>>() == bs::role::collective);
static_assert(static_cast<int>(bs::role_of<op<bs::forward, bs::loss>>()) == 0x100);
static_assert(static_cast<int>(bs::role_of<op<bs::loss, bs::backward>>()) == 0x101);
// A role is inherited through any number of classes.
static_assert(bs::role_of<op<op<op<bs::optimize>>>>() == bs::role::optimize);
static_assert(static_cast<int>(bs::role_of<op<op<bs::backward, bs::loss>>>()) == 0x101);
// A base class costs an op no memory.
static_assert(sizeof(op<bs::forward, bs::loss>) == 1);

// The four groups that a worker runs; `loss` does not change one.
static_assert(bs::group_of(bs::role::forward) == bs::op_group::forward);
static_assert(bs::group_of(bs::role::backward) == bs::op_group::backward);
static_assert(bs::group_of(bs::role::optimize) == bs::op_group::optimize);
static_assert(bs::group_of(bs::role::lr_schedule) == bs::op_group::lr_schedule);
static_assert(bs::group_of(bs::role::forward | bs::role::loss) == bs::op_group::forward);
static_assert(bs::group_of(bs::role::backward | bs::role::loss) == bs::op_group::backward);
static_assert(bs::group_of(bs::role_of<op<bs::loss, bs::backward>>()) == bs::op_group::backward);

// The names that failures and traces print.
static_assert(bs::group_name(bs::op_group::forward) == std::string_view("forward"));
static_assert(bs::group_name(bs::op_group::backward) == std::string_view("backward"));
static_assert(bs::group_name(bs::op_group::optimize) == std::string_view("optimize"));
static_assert(bs::group_name(bs::op_group::lr_schedule) == std::string_view("lr_schedule"));

}  // namespace test_role
