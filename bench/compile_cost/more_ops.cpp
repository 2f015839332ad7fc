// plan_and_engine.cpp's plan with one op more in every stage: the gate on the front end's work has
// to refuse it.
#include "stages.hpp"

namespace {

namespace bs = backstitch;

template <int S>
struct mean : bs::activation<float> {};
template <int S>
struct deviation : bs::activation<float[8]> {};
template <int S>
struct observe : bs::forward {
  void operator()(bs::in<cost::h<S>> from, bs::in<cost::w<S>> weight, bs::micro_batch m,
                  bs::out<mean<S>> centre, bs::out<deviation<S>> to) const {
    *centre = 0;
    for (std::size_t i = 0; i < 8; ++i) *centre += from[i] * weight[i];
    for (std::size_t i = 0; i < 8; ++i) to[i] = from[i] - *centre * static_cast<float>(m);
  }
};

template <int S, class Stage>
struct with_observer;
template <int S, class... Ops>
struct with_observer<S, bs::stage<Ops...>> {
  using type = bs::stage<Ops..., observe<S>>;
};

template <class Stages>
struct model_with;
template <int... S>
struct model_with<std::integer_sequence<int, S...>> {
  static constexpr int last = int{sizeof...(S)} - 1;
  using type =
      bs::pipeline<typename with_observer<S, typename cost::stage_at<S, last>::type>::type...>;
};

using plan = bs::plan<model_with<std::make_integer_sequence<int, STAGES>>::type, bs::one_f_one_b,
                      bs::micro_batches<MICRO_BATCHES>>;

}  // namespace

int main() { return plan::peak_in_flight(0) != STAGES; }
