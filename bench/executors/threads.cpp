// The library's engine as users run it, one thread per rank.
#include "backstitch/host/engine.hpp"

#include "executor.hpp"
#include "model.hpp"

namespace executors {
namespace {

template <int M>
class threads : public executor {
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
  mutable backstitch::host::engine<
      backstitch::plan<ops::model, backstitch::one_f_one_b, backstitch::micro_batches<M>>>
      engine_;  // its look-ups are not const

  template <int S>
  void read_parameters(values& v) const {
    v.w[S] = engine_.template get<ops::w<S>>();
    v.b[S] = engine_.template get<ops::b<S>>();
  }
};

}  // namespace

std::unique_ptr<executor> make_threads(int micro_batches) {
  return make_executor<threads>(micro_batches);
}

}  // namespace executors
