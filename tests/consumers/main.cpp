// What a user of the engine writes first; prints what the tests expect.
#include <backstitch/backstitch.hpp>
#include <backstitch/host/engine.hpp>

#include <cstdio>

namespace bs = backstitch;

struct x : bs::activation<int> {};
struct sum : bs::step_value<int> {};
struct load : bs::forward {
  void operator()(bs::micro_batch m, bs::out<x> to) const { *to = static_cast<int>(m) + 1; }
};
struct add : bs::forward {
  void operator()(bs::in<x> from, bs::accumulate<sum> to) const { *to += *from; }
};
using plan =
    bs::plan<bs::pipeline<bs::stage<load>, bs::stage<add>>, bs::one_f_one_b, bs::micro_batches<4>>;

int main() {
  bs::host::engine<plan> engine;
  engine.step();
  std::printf("sum %d\n", engine.get<sum>());
}
