// A table of actions, read at run time; what an action does is inlined into the loop.
#include "executor.hpp"
#include "order.hpp"
#include "stages.hpp"

#include <cstddef>
#include <cstdlib>
#include <vector>

namespace executors {
namespace {

template <int M>
class table_switch_schedule {
 public:
  table_switch_schedule() {
    for (const list_action& a : order_v<M>.at) {
      table_.push_back({2 * a.stage + (a.is_forward ? 0 : 1), a.micro_batch});
    }
  }

  void run(pipeline_memory<M>& all) const {
    for (const row& a : table_) {
      const auto m = static_cast<std::size_t>(a.micro_batch);
      switch (a.what) {
        case 0:
          forward<0>(all, m);
          break;
        case 1:
          backward<0>(all, m);
          break;
        case 2:
          forward<1>(all, m);
          break;
        case 3:
          backward<1>(all, m);
          break;
        case 4:
          forward<2>(all, m);
          break;
        case 5:
          backward<2>(all, m);
          break;
        case 6:
          forward<3>(all, m);
          break;
        case 7:
          backward<3>(all, m);
          break;
        default:
          std::abort();
      }
    }
  }

 private:
  struct row {
    int what;
    int micro_batch;
  };
  std::vector<row> table_;
};

template <int M>
using table_switch = plain_executor<M, table_switch_schedule<M>>;

}  // namespace

std::unique_ptr<executor> make_table_switch(int micro_batches) {
  return make_executor<table_switch>(micro_batches);
}

}  // namespace executors
