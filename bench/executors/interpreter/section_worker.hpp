// Runs one stage's program as PaddlePaddle's SectionWorker does: ops by role, a scope per
// micro-batch, memory freed after the last op that uses it.
#pragma once

#include "program.hpp"
#include "scope.hpp"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace executors::interpreter {

class section_worker {
 public:
  // `warm_up`: forwards before the first backward.
  section_worker(program p, int micro_batches, int warm_up);

  void run_forward(int m);
  void run_backward(int m);
  void run_update();

  scope& root() { return root_; }
  scope& of_micro_batch(int m) { return *scopes_[static_cast<std::size_t>(m)]; }

 private:
  using op_list = std::vector<const op_base*>;

  program program_;
  int micro_batches_;
  int warm_up_;
  scope root_;
  std::vector<std::unique_ptr<scope>> scopes_;
  op_list forward_and_lr_;
  op_list forward_;
  op_list backward_;
  op_list update_;
  std::vector<std::string> backward_sends_;
  // By the op after which no other one uses them.
  std::unordered_map<const op_base*, std::vector<std::string>> unused_after_;

  void sort_ops_by_role();
  void find_unused();
  void create_variables();
  void run(const op_list& ops, const scope& s);
  static void free_memory(const scope& s, const std::vector<std::string>& names);
};

}  // namespace executors::interpreter
