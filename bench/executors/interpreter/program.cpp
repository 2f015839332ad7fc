#include "program.hpp"

#include "../arithmetic.hpp"

#include <utility>

namespace executors::interpreter {
namespace {

struct builder {
  int stage;
  program p;

  std::string name(const char* variable) const { return name_in_stage(stage, variable); }

  void append(const char* type, int role, name_map inputs, name_map outputs,
              attribute_map attributes = {}) {
    attributes["op_role"] = role;
    attributes["op_device"] = std::string("cpu");
    p.ops.push_back(std::make_unique<op_with_kernel>(type, std::move(inputs), std::move(outputs),
                                                     std::move(attributes)));
  }

  // Gradients are zeroed by ops with the role of the learning-rate schedule, as the reference does.
  void begin() {
    append("lr_decay", role_lr_schedule, {{"Counter", {name("step")}}},
           {{"Out", {name("rate")}}, {"CounterOut", {name("step")}}});
    for (const char* g : {"w@GRAD", "b@GRAD"}) {
      append("fill_constant", role_lr_schedule, {}, {{"Out", {name(g)}}}, {{"value", 0.0f}});
    }
  }
  void forward(const rings& r) {
    if (r.receive_forward >= 0) {
      append("recv_v2", role_forward, {}, {{"Out", {name("x")}}}, {{"ring_id", r.receive_forward}});
    } else {
      append("load", role_forward, {{"Index", {name("index")}}}, {{"Out", {name("x")}}});
    }
    append("elementwise_mul", role_forward, {{"X", {name("x")}}, {"Y", {name("w")}}},
           {{"Out", {name("h")}}});
    append("elementwise_add", role_forward, {{"X", {name("h")}}, {"Y", {name("b")}}},
           {{"Out", {name("y")}}});
    append("relu", role_forward, {{"X", {name("y")}}}, {{"Out", {name("r")}}});
    if (r.send_forward >= 0) {
      append("halve", role_forward, {{"X", {name("r")}}}, {{"Out", {name("out")}}});
      append("send_v2", role_forward, {{"X", {name("out")}}}, {}, {{"ring_id", r.send_forward}});
    } else {
      append("loss", role_forward | role_loss, {{"X", {name("r")}}},
             {{"Gradient", {name("out@GRAD")}}, {"Out", {name("loss")}}});
    }
  }
  void backward(const rings& r) {
    if (r.receive_backward >= 0) {
      append("recv_v2", role_backward, {}, {{"Out", {name("out@GRAD")}}},
             {{"ring_id", r.receive_backward}});
    }
    append("relu_halve_grad", role_backward,
           {{"OutGradient", {name("out@GRAD")}}, {"X", {name("y")}}}, {{"Out", {name("y@GRAD")}}});
    append("accumulate", role_backward, {{"X", {name("y@GRAD")}}}, {{"Out", {name("b@GRAD")}}});
    append("accumulate_mul", role_backward, {{"X", {name("y@GRAD")}}, {"Y", {name("x")}}},
           {{"Out", {name("w@GRAD")}}});
    if (r.send_backward >= 0) {
      append("elementwise_mul", role_backward, {{"X", {name("y@GRAD")}}, {"Y", {name("w")}}},
             {{"Out", {name("x@GRAD")}}});
      append("send_v2", role_backward, {{"X", {name("x@GRAD")}}}, {},
             {{"ring_id", r.send_backward}});
    }
  }
  void update() {
    for (const char* v : {"w", "b"}) {
      const std::string gradient = std::string(v) + "@GRAD";
      append("sgd", role_optimize,
             {{"Parameter", {name(v)}},
              {"Gradient", {name(gradient.c_str())}},
              {"Rate", {name("rate")}}},
             {{"ParameterOut", {name(v)}}});
    }
  }
};

}  // namespace

std::string name_in_stage(int stage, const char* variable) {
  return "stage_" + std::to_string(stage) + "." + variable;
}

program program_of_stage(int stage, const rings& r) {
  builder b{stage, {}};
  b.begin();
  b.forward(r);
  b.backward(r);
  b.update();
  for (const char* v : {"w", "b", "w@GRAD", "b@GRAD", "rate", "step"}) {
    b.p.persistent.push_back(b.name(v));
  }
  if (r.receive_forward < 0) b.p.fed.push_back(b.name("index"));
  if (r.send_forward < 0) b.p.fetched.push_back(b.name("loss"));
  return std::move(b.p);
}

}  // namespace executors::interpreter
