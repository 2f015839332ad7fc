#include "op.hpp"

#include <utility>

namespace executors::interpreter {
namespace {

class runtime_shape_context final : public shape_context {
 public:
  explicit runtime_shape_context(const runtime_context& variables) : variables_(variables) {}

  bool has_input(const std::string& name) const override { return holds(variables_.inputs, name); }
  bool has_output(const std::string& name) const override {
    return holds(variables_.outputs, name);
  }
  dimensions input_dims(const std::string& name) const override {
    return variables_.inputs.at(name)[0]->get().dims();
  }
  void set_output_dims(const std::string& name, const dimensions& d) override {
    variables_.outputs.at(name)[0]->get_mutable().resize(d);
  }

 private:
  const runtime_context& variables_;

  static bool holds(const std::map<std::string, std::vector<variable*>>& slots,
                    const std::string& name) {
    const auto found = slots.find(name);
    return found != slots.end() && !found->second.empty() && found->second[0] != nullptr;
  }
};

}  // namespace

runtime_context::runtime_context(const name_map& in, const name_map& out, const scope& s) {
  const auto find_all = [&s](const name_map& names, auto& slots) {
    for (const auto& [slot, variables] : names) {
      std::vector<variable*>& found = slots[slot];
      found.reserve(variables.size());
      for (const std::string& name : variables) found.push_back(s.find(name));
    }
  };
  find_all(in, inputs);
  find_all(out, outputs);
}

op_base::op_base(std::string type, name_map inputs, name_map outputs, attribute_map attributes)
    : type_(std::move(type)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      attributes_(std::move(attributes)) {}

// What the reference does each time that it runs such an op, in its order.
void op_with_kernel::run(const scope& s, place where) const {
  // It asks its attributes whether the context of the last run may be kept and whether the kernel
  // infers the shapes. No pass sets these for a pipeline.
  if (has_attribute("@ENABLE_CACHE_RUNTIME_CONTEXT@") ||
      has_attribute("@ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@")) {
    throw std::logic_error(type_ + " has an attribute that is not supported");
  }
  // Looks up every argument by name, first in the micro-batch's scope, then in its parent.
  const runtime_context variables(inputs_, outputs_, s);
  const device& on = device_at(where);
  // The kernel is looked up once and kept.
  if (kernel_ == nullptr) choose_kernel(variables, where);
  // Compares place, type and layout of every input with the kernel's, to transform what differs.
  check_inputs(variables);
  // Infers the shapes of the outputs from those of the inputs.
  runtime_shape_context shapes(variables);
  (*infer_shape_)(shapes);
  // The kernel looks up its arguments and attributes by name.
  (*kernel_)(execution_context(*this, on, variables));
}

void op_with_kernel::choose_kernel(const runtime_context& variables, place where) const {
  data_type type = data_type::float32;
  for (const auto& [slot, found] : variables.inputs) {
    for (const variable* v : found) {
      if (v != nullptr && v->is_tensor() && v->get().holds_memory()) type = v->get().type();
    }
  }
  chosen_.reset(new kernel_key{type_, type, where, data_layout::any});
  kernel_ = &find_kernel(*chosen_);
  infer_shape_ = &find_shape_function(type_);
}

void op_with_kernel::check_inputs(const runtime_context& variables) const {
  for (const auto& [slot, names] : inputs_) {
    const std::vector<variable*>& found = variables.inputs.at(slot);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (found[i] == nullptr || !found[i]->is_tensor()) continue;
      const tensor& t = found[i]->get();
      if (!t.holds_memory()) continue;
      if (t.where() != chosen_->where || t.layout() != chosen_->layout) {
        throw std::logic_error(type_ + ": " + names[i] + " would have to be transformed");
      }
    }
  }
}

}  // namespace executors::interpreter
