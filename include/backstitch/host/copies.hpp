// Several copies of a model in one process: before a run, all start like the first one, which is
// the one that get() and op() show.
#pragma once

#include "backstitch/host/transport.hpp"
#include "backstitch/model/table.hpp"
#include "backstitch/program/plan.hpp"
#include "backstitch/program/store.hpp"

#include <type_traits>
#include <utility>

namespace backstitch::host::detail {

template <class Plan>
class copy_starter {
 public:
  explicit copy_starter(shared_state<Plan>& state) : state_(state) {}

  template <int... Us, int... Numbers>
  void run(std::integer_sequence<int, Us...>, std::integer_sequence<int, Numbers...>) {
    [[maybe_unused]] const int values[] = {0, (copy_lasting<Us>(), 0)...};
    [[maybe_unused]] const int ops[] = {0, (copy_op<Numbers>(), 0)...};
  }

 private:
  using whole = typename Plan::model_type;
  static constexpr const auto& model = model_v<whole>;

  shared_state<Plan>& state_;

  template <int U>
  auto& value() {
    return state_.template store<Plan::rank_of(model.use[U].stage)>().template value<U>(0);
  }
  template <int Number>
  auto& op() {
    return state_.template store<Plan::rank_of(model.op[Number].stage)>().template op<Number>();
  }
  template <int U>
  void copy_lasting() {
    constexpr int of_one = model.uses / Plan::pipes;
    if constexpr (U >= of_one && slots_v<Plan, true>.use[U].how == holding::lasting) {
      copy_value(value<U % of_one>(), value<U>());
    }
  }
  // An op that cannot be assigned keeps its own state.
  template <int Number>
  void copy_op() {
    constexpr int of_one = model.ops / Plan::pipes;
    if constexpr (Number >= of_one && std::is_copy_assignable_v<op_at<whole, Number>>) {
      op<Number>() = op<Number % of_one>();
    }
  }
};

template <class Plan>
void start_copies_alike(shared_state<Plan>& state) {
  using whole = typename Plan::model_type;
  copy_starter<Plan>(state).run(std::make_integer_sequence<int, model_v<whole>.uses>{},
                                std::make_integer_sequence<int, model_v<whole>.ops>{});
}

}  // namespace backstitch::host::detail
