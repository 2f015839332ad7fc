// Backstitch's engine, all stages on one rank, which is the caller's thread.
#include "backstitch/host/engine.hpp"

#include "executor.hpp"
#include "model.hpp"
#include "on_one_rank.hpp"

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
      v.loss.push_back(engine_.template get<ops::loss_value>(m));
    }
    return v;
  }

 private:
  using plan = backstitch::plan<ops::model, on_one_rank<backstitch::one_f_one_b, stage_count>,
                                backstitch::micro_batches<M>>;
  // Reading is not const.
  mutable backstitch::host::engine<plan> engine_;

  template <int S>
  void read_parameters(values& v) const {
    v.w[S] = engine_.template get<ops::w<S>>();
    v.b[S] = engine_.template get<ops::b<S>>();
  }
};

}  // namespace

std::unique_ptr<executor> make_compiled(int micro_batches) {
  return make_executor<compiled>(micro_batches);
}

}  // namespace executors
