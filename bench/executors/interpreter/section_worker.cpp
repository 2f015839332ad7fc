#include "section_worker.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

namespace executors::interpreter {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <class F>
void for_each_variable(const op_base& op, F f) {
  for (const name_map* slots : {&op.inputs(), &op.outputs()}) {
    for (const auto& [slot, names] : *slots) {
      for (const std::string& name : names) f(name);
    }
  }
}

}  // namespace

section_worker::section_worker(program p, int micro_batches, int warm_up)
    : program_(std::move(p)), micro_batches_(micro_batches), warm_up_(warm_up) {
  for (int m = 0; m < micro_batches; ++m) scopes_.push_back(std::make_unique<scope>(root_));
  sort_ops_by_role();
  find_unused();
  create_variables();
}

// Once, when the worker is made.
void section_worker::sort_ops_by_role() {
  for (const auto& op : program_.ops) {
    const int role = op->get_attribute<int>("op_role");
    if (role == role_lr_schedule) {
      forward_and_lr_.push_back(op.get());
    } else if (role == role_forward || role == (role_forward | role_loss)) {
      forward_and_lr_.push_back(op.get());
      forward_.push_back(op.get());
    } else if (role == role_backward || role == (role_backward | role_loss)) {
      backward_.push_back(op.get());
    } else if (role == role_optimize) {
      update_.push_back(op.get());
    } else {
      throw std::logic_error("the op " + op->type() + " has none of the roles");
    }
    if (role == role_backward && op->type() == "send_v2") {
      backward_sends_.push_back(op->inputs().at("X")[0]);
    }
  }
}

void section_worker::find_unused() {
  std::unordered_map<std::string, const op_base*> last;
  for (const auto& op : program_.ops) {
    for_each_variable(*op, [&](const std::string& name) {
      if (!contains(program_.persistent, name) && !contains(program_.fed, name) &&
          !contains(program_.fetched, name) && !contains(backward_sends_, name)) {
        last[name] = op.get();
      }
    });
  }
  for (const auto& [name, op] : last) unused_after_[op].push_back(name);
}

void section_worker::create_variables() {
  for (const std::string& name : program_.persistent) root_.make(name);
  for (const auto& op : program_.ops) {
    for_each_variable(*op, [&](const std::string& name) {
      if (contains(program_.persistent, name)) return;
      for (const auto& s : scopes_) s->make(name);
    });
  }
}

void section_worker::run(const op_list& ops, const scope& s) {
  for (const op_base* op : ops) {
    op->run(s, place::cpu);
    const auto unused = unused_after_.find(op);
    if (unused != unused_after_.end()) free_memory(s, unused->second);
  }
}

// Collects the memory first, as the reference does for a garbage collector that may free later;
// its threshold is 0 by default, which frees at once.
void section_worker::free_memory(const scope& s, const std::vector<std::string>& names) {
  std::deque<std::shared_ptr<allocation>> garbage;
  for (const std::string& name : names) {
    variable* v = s.find(name);
    if (v != nullptr && v->is_tensor()) garbage.push_back(v->get_mutable().take_memory());
  }
  garbage.clear();
}

void section_worker::run_forward(int m) {
  run(m == 0 ? forward_and_lr_ : forward_, of_micro_batch(m));
}

// What a backward sends may still be on its way; it is freed two backwards later while forwards and
// backwards alternate, the rest after the update.
void section_worker::run_backward(int m) {
  const bool steady = m < micro_batches_ - warm_up_;
  if (steady && m >= 2) free_memory(of_micro_batch(m - 2), backward_sends_);
  run(backward_, of_micro_batch(m));
}

void section_worker::run_update() {
  run(update_, of_micro_batch(micro_batches_ - 1));
  for (int m = std::max(0, micro_batches_ - warm_up_ - 2); m < micro_batches_; ++m) {
    free_memory(of_micro_batch(m), backward_sends_);
  }
}

}  // namespace executors::interpreter
