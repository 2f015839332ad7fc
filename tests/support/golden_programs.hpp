// The lists of tests/golden as programs: work, messages, groups and overlapped pairs.
#pragma once

#include "support/program_text.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace golden_programs {

using backstitch::action;
using backstitch::action_kind;
using program_text::program;

// What the peers' lists hold beside work and messages is about other things.
inline bool is_ours(const std::string& cell) {
  for (const char* other : {"UNSHARD", "RESHARD", "REDUCE_GRAD", "REDUCE_TIED", "OPT_STEP"}) {
    if (cell.find(other) != std::string::npos) return false;
  }
  return !cell.empty();
}

// A list of tests/golden. Stages stand where the lines say.
inline program read(const std::string& file) {
  std::ifstream in(BACKSTITCH_TEST_DIR "/golden/" + file);
  if (!in.good()) throw std::runtime_error("no such list: " + file);
  std::vector<std::string> texts;
  for (std::string line; std::getline(in, line);) {
    std::string text, cell;
    for (const char c : line + ',') {
      if (c != ',') {
        cell += c;
        continue;
      }
      if (is_ours(cell)) text += cell + ' ';
      cell.clear();
    }
    texts.push_back(text);
  }
  program p;
  p.pipes = file.rfind("dualpipe_", 0) == 0 ? 2 : 1;
  const std::size_t m = file.find("_m", file.find("_r"));
  p.micro_batches = std::stoi(file.substr(m + 2));
  // Twice: the first time for the number of stages.
  int highest = 0;
  p.stages = 1000 * p.pipes;
  for (const std::string& text : texts) {
    for (const action& a : program_text::read_rank(p, text)) {
      highest = std::max(highest, a.stage % 1000);
    }
  }
  p.stages = (highest + 1) * p.pipes;
  p.rank_of.resize(static_cast<std::size_t>(p.stages), -1);
  p.forward_only = true;
  for (std::size_t r = 0; r < texts.size(); ++r) {
    for (const action& a : program_text::read_rank(p, texts[r])) {
      p.rank_of[static_cast<std::size_t>(a.stage)] = static_cast<int>(r);
      if (a.kind == action_kind::backward || a.kind == action_kind::backward_input) {
        p.forward_only = false;
      }
    }
  }
  p.links = program_text::chains(p.stages, p.pipes, p.forward_only);
  for (const std::string& text : texts) p.list.push_back(program_text::read_rank(p, text));
  return p;
}

// The files that hold messages, in the order of their names.
inline std::vector<std::string> with_messages() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(BACKSTITCH_TEST_DIR "/golden")) {
    const std::string name = entry.path().filename().string();
    if (name.find(".comms") != std::string::npos) files.push_back(name);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace golden_programs
