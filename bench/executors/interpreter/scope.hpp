// Variables by name. Each micro-batch has a scope of its own; parameters and what else lasts lie in
// their common parent.
#pragma once

#include "tensor.hpp"

#include <memory>
#include <string>
#include <unordered_map>

namespace executors::interpreter {

class scope {
 public:
  scope() = default;
  explicit scope(const scope& parent) : parent_(&parent) {}
  scope& operator=(const scope&) = delete;

  variable& make(const std::string& name) {
    std::unique_ptr<variable>& v = variables_[name];
    if (!v) v = std::make_unique<variable>();
    return *v;
  }
  // Here or in a parent; null where nobody has it.
  variable* find(const std::string& name) const {
    const auto found = variables_.find(name);
    if (found != variables_.end()) return found->second.get();
    return parent_ != nullptr ? parent_->find(name) : nullptr;
  }

 private:
  std::unordered_map<std::string, std::unique_ptr<variable>> variables_;
  const scope* parent_ = nullptr;
};

}  // namespace executors::interpreter
