// An op of the interpreter: a type name, named lists of variable names, and named attributes. All
// of it is looked up whenever the op runs.
#pragma once

#include "scope.hpp"
#include "tensor.hpp"

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace executors::interpreter {

// Flags, as the reference numbers them.
enum op_role : int {
  role_forward = 0,
  role_backward = 1,
  role_optimize = 2,
  role_lr_schedule = 16,
  role_loss = 256,
};

using attribute = std::variant<bool, int, float, std::string>;
using attribute_map = std::unordered_map<std::string, attribute>;
// Slot name ("X", "Out") to variable names.
using name_map = std::map<std::string, std::vector<std::string>>;

class channel;
struct device {
  place where = place::cpu;
  std::map<int, channel*> channels;  // by ring number
};
const device& device_at(place where);
// A new ring number.
int connect(channel& to);
void disconnect(int ring);

// The variables of one run, found by name in its scope.
struct runtime_context {
  std::map<std::string, std::vector<variable*>> inputs;
  std::map<std::string, std::vector<variable*>> outputs;

  runtime_context(const name_map& in, const name_map& out, const scope& s);
};

class op_base {
 public:
  op_base(std::string type, name_map inputs, name_map outputs, attribute_map attributes);
  op_base(const op_base&) = delete;
  op_base& operator=(const op_base&) = delete;
  virtual ~op_base() = default;

  virtual void run(const scope& s, place where) const = 0;

  const std::string& type() const { return type_; }
  const name_map& inputs() const { return inputs_; }
  const name_map& outputs() const { return outputs_; }
  bool has_attribute(const std::string& name) const { return attributes_.contains(name); }
  template <class T>
  const T& get_attribute(const std::string& name) const {
    const auto found = attributes_.find(name);
    if (found == attributes_.end()) throw std::logic_error(type_ + " has no attribute " + name);
    return std::get<T>(found->second);
  }

 protected:
  std::string type_;
  name_map inputs_;
  name_map outputs_;
  attribute_map attributes_;
};

// What a kernel sees of a run.
class execution_context {
 public:
  execution_context(const op_base& op, const device& on, const runtime_context& variables)
      : op_(op), device_(on), variables_(variables) {}

  const tensor& input(const std::string& name, std::size_t i = 0) const {
    return variables_.inputs.at(name)[i]->get();
  }
  tensor& output(const std::string& name) const {
    return variables_.outputs.at(name)[0]->get_mutable();
  }
  template <class T>
  const T& get_attribute(const std::string& name) const {
    return op_.get_attribute<T>(name);
  }
  const device& on() const { return device_; }

 private:
  const op_base& op_;
  const device& device_;
  const runtime_context& variables_;
};

// What the inference of shapes sees; an interface, since it also runs without any memory when a
// program is built.
class shape_context {
 public:
  virtual ~shape_context() = default;
  virtual bool has_input(const std::string& name) const = 0;
  virtual bool has_output(const std::string& name) const = 0;
  virtual dimensions input_dims(const std::string& name) const = 0;
  virtual void set_output_dims(const std::string& name, const dimensions& d) = 0;
};

struct kernel_key {
  std::string type;
  data_type data;
  place where;
  data_layout layout;
  friend bool operator==(const kernel_key&, const kernel_key&) = default;
};
using kernel = std::function<void(const execution_context&)>;
using shape_function = std::function<void(shape_context&)>;

// Throw where nothing is registered.
const kernel& find_kernel(const kernel_key& key);
const shape_function& find_shape_function(const std::string& type);

// An op that has kernels: most of them.
class op_with_kernel : public op_base {
 public:
  using op_base::op_base;
  void run(const scope& s, place where) const override;

 private:
  mutable std::unique_ptr<const kernel_key> chosen_;
  mutable const kernel* kernel_ = nullptr;
  mutable const shape_function* infer_shape_ = nullptr;

  void choose_kernel(const runtime_context& variables, place where) const;
  void check_inputs(const runtime_context& variables) const;
};

}  // namespace executors::interpreter
