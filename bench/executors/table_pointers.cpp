// A table of actions, read at run time; an action is a list of ops behind function pointers.
#include "executor.hpp"
#include "order.hpp"
#include "stages.hpp"

#include <cstddef>
#include <vector>

namespace executors {
namespace {

template <int M, auto Op>
void call(pipeline_memory<M>& all, std::size_t m) {
  Op(all, m);
}
template <int M, auto... Ops>
std::vector<op_pointer<M>> pointers(op_list<Ops...>) {
  return {call<M, Ops>...};
}

template <int M>
class table_pointers_schedule {
 public:
  table_pointers_schedule()
      : ops_{pointers<M>(forward_ops<M, 0>()), pointers<M>(backward_ops<M, 0>()),
             pointers<M>(forward_ops<M, 1>()), pointers<M>(backward_ops<M, 1>()),
             pointers<M>(forward_ops<M, 2>()), pointers<M>(backward_ops<M, 2>()),
             pointers<M>(forward_ops<M, 3>()), pointers<M>(backward_ops<M, 3>())} {
    for (const list_action& a : order_v<M>.at) {
      table_.push_back({2 * a.stage + (a.is_forward ? 0 : 1), a.micro_batch});
    }
  }

  void run(pipeline_memory<M>& all) const {
    for (const row& a : table_) {
      const auto m = static_cast<std::size_t>(a.micro_batch);
      for (op_pointer<M> op : ops_[static_cast<std::size_t>(a.what)]) op(all, m);
    }
  }

 private:
  struct row {
    int what;
    int micro_batch;
  };
  std::vector<row> table_;
  std::vector<op_pointer<M>> ops_[2 * stage_count];
};

template <int M>
using table_pointers = plain_executor<M, table_pointers_schedule<M>>;

}  // namespace

std::unique_ptr<executor> make_table_pointers(int micro_batches) {
  return make_executor<table_pointers>(micro_batches);
}

}  // namespace executors
