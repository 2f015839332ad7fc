// The op list of one stage: what a front end would hand to the interpreter.
#pragma once

#include "op.hpp"

#include <memory>
#include <string>
#include <vector>

namespace executors::interpreter {

struct program {
  std::vector<std::unique_ptr<op_base>> ops;
  std::vector<std::string> persistent;  // one value for the run, in the parent scope
  std::vector<std::string> fed;         // one value per micro-batch, there from the start
  std::vector<std::string> fetched;     // read by the user after a step
};

// The rings that connect a stage to its neighbours; -1 where there is none.
struct rings {
  int receive_forward = -1;
  int send_forward = -1;
  int receive_backward = -1;
  int send_backward = -1;
};

std::string name_in_stage(int stage, const char* variable);
program program_of_stage(int stage, const rings& r);

}  // namespace executors::interpreter
