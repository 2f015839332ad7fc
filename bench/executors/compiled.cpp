// Backstitch's loops, all ranks on one thread.
#include "executor.hpp"
#include "in_thread.hpp"
#include "model.hpp"

namespace executors {
namespace {

template <int M>
class compiled : public executor {
 public:
  void run(std::size_t steps) override { engine_.run(steps); }

  values read() const override {
    values v;
    read_parameters<0>(v), read_parameters<1>(v), read_parameters<2>(v), read_parameters<3>(v);
    for (std::size_t m = 0; m < M; ++m) {
      v.loss.push_back(engine_.template get<ops::loss_value, stage_count - 1>(m));
    }
    return v;
  }

 private:
  in_thread_engine<ops::plan<M>> engine_;

  template <int S>
  void read_parameters(values& v) const {
    v.w[S] = engine_.template get<ops::w<S>, S>();
    v.b[S] = engine_.template get<ops::b<S>, S>();
  }
};

}  // namespace

std::unique_ptr<executor> make_compiled(int micro_batches) {
  return make_executor<compiled>(micro_batches);
}

}  // namespace executors
