// The interpreter: all stages on one thread, in the order of the other executors.
#include "executor.hpp"
#include "interpreter/channel.hpp"
#include "interpreter/section_worker.hpp"
#include "order.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace executors {
namespace {

using namespace interpreter;

template <class Element, class T>
void set(variable& v, std::int64_t count, const T& value) {
  v.get_mutable().resize(dimensions(count));
  v.get_mutable().mutable_value<Element, T>(place::cpu) = value;
}

template <int M>
class interpreted : public executor {
 public:
  interpreted() {
    for (std::size_t i = 0; i < ring_.size(); ++i) ring_[i] = connect(channel_[i]);
    for (int s = 0; s < stage_count; ++s) {
      workers_.push_back(std::make_unique<section_worker>(program_of_stage(s, rings_of(s)), M,
                                                          stage_count - 1 - s));
      scope& root = workers_.back()->root();
      set<float>(root.make(name_in_stage(s, "w")), 4, initial_weight);
      set<float>(root.make(name_in_stage(s, "b")), 4, vec{});
      set<std::int64_t>(root.make(name_in_stage(s, "step")), 1, std::int64_t{0});
    }
    for (int m = 0; m < M; ++m) {
      set<std::int64_t>(workers_[0]->of_micro_batch(m).make(name_in_stage(0, "index")), 1,
                        std::int64_t{m});
    }
  }
  ~interpreted() override {
    for (int ring : ring_) disconnect(ring);
  }

  void run(std::size_t steps) override {
    for (std::size_t i = 0; i < steps; ++i) {
      for (const list_action& a : order_v<M>.at) {
        section_worker& w = *workers_[static_cast<std::size_t>(a.stage)];
        a.is_forward ? w.run_forward(a.micro_batch) : w.run_backward(a.micro_batch);
      }
      for (const auto& w : workers_) w->run_update();
    }
  }

  values read() const override {
    values v;
    for (int s = 0; s < stage_count; ++s) {
      const scope& root = workers_[static_cast<std::size_t>(s)]->root();
      v.w[s] = root.find(name_in_stage(s, "w"))->get().value<vec>();
      v.b[s] = root.find(name_in_stage(s, "b"))->get().value<vec>();
    }
    const std::string loss = name_in_stage(stage_count - 1, "loss");
    for (int m = 0; m < M; ++m) {
      v.loss.push_back(workers_.back()->of_micro_batch(m).find(loss)->get().value<float>());
    }
    return v;
  }

 private:
  static constexpr std::size_t boundaries = stage_count - 1;
  std::array<channel, 2 * boundaries> channel_;
  std::array<int, 2 * boundaries> ring_{};
  std::vector<std::unique_ptr<section_worker>> workers_;

  // The first rings lead forward, the others back.
  rings rings_of(int stage) const {
    const auto s = static_cast<std::size_t>(stage);
    rings r;
    if (s > 0) {
      r.receive_forward = ring_[s - 1];
      r.send_backward = ring_[boundaries + s - 1];
    }
    if (s < boundaries) {
      r.send_forward = ring_[s];
      r.receive_backward = ring_[boundaries + s];
    }
    return r;
  }
};

}  // namespace

std::unique_ptr<executor> make_interpreter(int micro_batches) {
  return make_executor<interpreted>(micro_batches);
}

}  // namespace executors
