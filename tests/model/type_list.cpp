// Types by number, and the names that errors, failures and pictures print.
#include <backstitch/model/type_list.hpp>

#include <type_traits>

namespace bs = backstitch;

struct in_global_namespace {};
namespace place {
struct op {};
template <class T>
struct wrap {};
namespace inner {
struct op {};
}  // namespace inner
enum class colour { red };
template <int>
struct numbered {};
}  // namespace place

// The name is the type's own, with its namespaces and nothing around it.
static_assert(bs::type_name<int>() == "int");
static_assert(bs::type_name<double>() == "double");
static_assert(bs::type_name<in_global_namespace>() == "in_global_namespace");
static_assert(bs::type_name<place::op>() == "place::op");
static_assert(bs::type_name<place::inner::op>() == "place::inner::op");
static_assert(bs::type_name<place::colour>() == "place::colour");
static_assert(bs::type_name<place::wrap<place::op>>() == "place::wrap<place::op>");
static_assert(bs::type_name<place::numbered<4>>() == "place::numbered<4>");

// Names and hashes tell types apart; the same type has one of each.
static_assert(bs::type_name<place::op>() != bs::type_name<place::inner::op>());
static_assert(bs::detail::type_hash<place::op>() == bs::detail::type_hash<place::op>());
static_assert(bs::detail::type_hash<place::op>() != bs::detail::type_hash<place::inner::op>());
static_assert(bs::detail::type_hash<place::numbered<1>>() !=
              bs::detail::type_hash<place::numbered<2>>());
static_assert(bs::detail::type_hash<place::op>() != bs::detail::type_hash<const place::op>());
// An alias is no second type.
using alias = place::op;
static_assert(bs::type_name<alias>() == bs::type_name<place::op>());
static_assert(bs::detail::type_hash<alias>() == bs::detail::type_hash<place::op>());

// Look-up by number; a type may stand twice.
using list = bs::detail::type_list<int, place::op, int, void>;
static_assert(list::size == 4);
static_assert(std::is_same_v<list::at<0>, int>);
static_assert(std::is_same_v<list::at<1>, place::op>);
static_assert(std::is_same_v<list::at<2>, int>);
static_assert(std::is_same_v<list::at<3>, void>);
static_assert(bs::detail::type_list<>::size == 0);
