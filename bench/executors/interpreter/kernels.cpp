// The kernels: each finds its tensors by slot name and calls the arithmetic that all executors
// share.
#include "../arithmetic.hpp"
#include "channel.hpp"
#include "op.hpp"

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace executors::interpreter {
namespace {

using context = execution_context;

const vec& in(const context& c, const std::string& name) { return c.input(name).value<vec>(); }
vec& out(const context& c, const std::string& name) {
  return c.output(name).mutable_value<float, vec>(c.on().where);
}
channel& ring_of(const context& c) { return *c.on().channels.at(c.get_attribute<int>("ring_id")); }

void run_decay(const context& c) {
  const auto step = c.input("Counter").value<std::int64_t>();
  decay(static_cast<std::size_t>(step), c.output("Out").mutable_value<float>(c.on().where));
  c.output("CounterOut").mutable_value<std::int64_t>(c.on().where) = step + 1;
}
void run_fill(const context& c) {
  const float value = c.get_attribute<float>("value");
  out(c, "Out") = four_floats{value, value, value, value};
}
void run_load(const context& c) {
  load(static_cast<std::size_t>(c.input("Index").value<std::int64_t>()), out(c, "Out"));
}
void run_multiply(const context& c) { multiply(in(c, "X"), in(c, "Y"), out(c, "Out")); }
void run_add(const context& c) { add(in(c, "X"), in(c, "Y"), out(c, "Out")); }
void run_clip(const context& c) { clip(in(c, "X"), out(c, "Out")); }
void run_halve(const context& c) { halve(in(c, "X"), out(c, "Out")); }
void run_loss(const context& c) {
  measure_loss(in(c, "X"), out(c, "Gradient"), c.output("Out").mutable_value<float>(c.on().where));
}
void run_clip_back(const context& c) { clip_back(in(c, "OutGradient"), in(c, "X"), out(c, "Out")); }
// Out is one of the inputs.
void run_accumulate(const context& c) { accumulate(in(c, "X"), out(c, "Out")); }
void run_accumulate_product(const context& c) {
  accumulate_product(in(c, "X"), in(c, "Y"), out(c, "Out"));
}
void run_sgd(const context& c) {
  descend(c.input("Rate").value<float>(), in(c, "Gradient"), out(c, "ParameterOut"));
}
void run_send(const context& c) { ring_of(c).send(in(c, "X")); }
void run_receive(const context& c) { ring_of(c).receive(out(c, "Out")); }

// -- shapes

void require(bool condition) {
  if (!condition) throw std::logic_error("an op lacks an argument, or its shapes differ");
}
template <int Count>
void give_shape(shape_context& c) {
  require(c.has_output("Out"));
  c.set_output_dims("Out", dimensions(Count));
}
void shape_of_decay(shape_context& c) {
  require(c.has_input("Counter") && c.has_output("Out") && c.has_output("CounterOut"));
  c.set_output_dims("Out", dimensions(1));
  c.set_output_dims("CounterOut", c.input_dims("Counter"));
}
void shape_of_one(shape_context& c) {
  require(c.has_input("X") && c.has_output("Out"));
  c.set_output_dims("Out", c.input_dims("X"));
}
void shape_of_two(shape_context& c) {
  require(c.has_input("X") && c.has_input("Y") && c.has_output("Out"));
  const dimensions x = c.input_dims("X");
  require(x == c.input_dims("Y"));
  c.set_output_dims("Out", x);
}
void shape_of_loss(shape_context& c) {
  require(c.has_input("X") && c.has_output("Gradient") && c.has_output("Out"));
  c.set_output_dims("Gradient", c.input_dims("X"));
  c.set_output_dims("Out", dimensions(1));
}
void shape_of_clip_back(shape_context& c) {
  require(c.has_input("OutGradient") && c.has_input("X") && c.has_output("Out"));
  c.set_output_dims("Out", c.input_dims("X"));
}
void shape_of_sgd(shape_context& c) {
  require(c.has_input("Parameter") && c.has_input("Gradient") && c.has_input("Rate") &&
          c.has_output("ParameterOut"));
  const dimensions p = c.input_dims("Parameter");
  require(p == c.input_dims("Gradient"));
  c.set_output_dims("ParameterOut", p);
}
void shape_of_send(shape_context& c) { require(c.has_input("X")); }

struct registration {
  std::string type;
  data_type data;
  kernel run;
  shape_function infer_shape;
};
const std::initializer_list<registration>& registered() {
  static const std::initializer_list<registration> all = {
      {"lr_decay", data_type::int64, run_decay, shape_of_decay},
      {"fill_constant", data_type::float32, run_fill, give_shape<4>},
      {"load", data_type::int64, run_load, give_shape<4>},
      {"elementwise_mul", data_type::float32, run_multiply, shape_of_two},
      {"elementwise_add", data_type::float32, run_add, shape_of_two},
      {"relu", data_type::float32, run_clip, shape_of_one},
      {"halve", data_type::float32, run_halve, shape_of_one},
      {"loss", data_type::float32, run_loss, shape_of_loss},
      {"relu_halve_grad", data_type::float32, run_clip_back, shape_of_clip_back},
      {"accumulate", data_type::float32, run_accumulate, shape_of_one},
      {"accumulate_mul", data_type::float32, run_accumulate_product, shape_of_two},
      {"sgd", data_type::float32, run_sgd, shape_of_sgd},
      {"send_v2", data_type::float32, run_send, shape_of_send},
      {"recv_v2", data_type::float32, run_receive, give_shape<4>},
  };
  return all;
}
const registration& find(const std::string& type) {
  for (const registration& r : registered()) {
    if (r.type == type) return r;
  }
  throw std::logic_error("no op is called " + type);
}

device& the_device() {
  static device d;
  return d;
}

}  // namespace

const kernel& find_kernel(const kernel_key& key) {
  const registration& r = find(key.type);
  if (r.data != key.data || key.where != place::cpu || key.layout != data_layout::any) {
    throw std::logic_error(key.type + " has no kernel for its inputs");
  }
  return r.run;
}
const shape_function& find_shape_function(const std::string& type) {
  return find(type).infer_shape;
}

const device& device_at(place) { return the_device(); }
int connect(channel& to) {
  static int next = 0;
  the_device().channels[next] = &to;
  return next++;
}
void disconnect(int ring) { the_device().channels.erase(ring); }

}  // namespace executors::interpreter
