// Reads the action lists in tests/golden, strictly: whatever is not in the notation is an error
// that names file, line and column.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <istream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace golden {

struct op {
  int stage = 0;
  std::string name;
  int micro_batch = -1;     // -1: the op has none
  bool reversed = false;    // of the pipeline that runs up the ranks
  int split = -1;           // piece of the sequence; -1: it is whole
  bool overlapped = false;  // one of an F and a B that run together
};
using cell = std::vector<op>;  // ops that start together; none: idle
using row = std::vector<cell>;

// Of F, I, W and a message between two ranks.
struct costs {
  int forward = 1;
  int input = 1;
  int weight = 1;
  int message = 0;

  friend bool operator==(const costs&, const costs&) = default;
};

struct action_list {
  std::string file;
  int ranks = 0;
  int chunks = 1;  // stages per rank
  int pipes = 1;   // copies of the model
  int micro_batches = 0;
  int group = 0;  // of interleaved schedules; 0: not in the name
  costs cost;     // what the generator assumed, as far as the name says
  std::vector<row> rank;
};

namespace detail {

// What is left of a text that is read from the front.
struct cursor {
  std::string_view rest;

  bool skip(std::string_view s) {
    if (rest.substr(0, s.size()) != s) return false;
    rest.remove_prefix(s.size());
    return true;
  }
  // A plain decimal number without leading zeros, at most 4 digits; -1: there is none.
  int number() {
    std::size_t n = 0;
    while (n < rest.size() && rest[n] >= '0' && rest[n] <= '9') ++n;
    if (n == 0 || n > 4 || (n > 1 && rest[0] == '0')) return -1;
    const int value = std::stoi(std::string(rest.substr(0, n)));
    rest.remove_prefix(n);
    return value;
  }
};

// A name that starts like another one comes before it.
inline constexpr std::array with_micro_batch{"SEND_F", "RECV_F", "SEND_B", "RECV_B", "FREE_SEND_B",
                                             "F",      "B",      "I",      "W"};
inline constexpr std::array without_micro_batch{"OPT_STEP", "REDUCE_GRAD", "REDUCE_TIED", "UNSHARD",
                                                "RESHARD"};

// `<stage><OP><micro-batch>`, then `r` or `.<split>` where there is one.
inline bool read_op(std::string_view text, op& out) {
  cursor c{text};
  out = {};
  out.stage = c.number();
  if (out.stage < 0) return false;
  for (const char* name : without_micro_batch) {
    out.name = name;
    if (c.skip(name)) return c.rest.empty();
  }
  for (const char* name : with_micro_batch) {
    out.name = name;
    if (!c.skip(name)) continue;
    out.micro_batch = c.number();
    if (out.micro_batch < 0) return false;
    out.reversed = c.skip("r");
    if (!out.reversed && c.skip(".") && (out.split = c.number()) < 0) return false;
    return c.rest.empty();
  }
  return false;
}

inline std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = std::min(text.find(at), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

// `(<F>;<B>)OVERLAP_F_B`.
inline bool read_pair(std::string_view text, cell& out) {
  constexpr std::string_view tail = ")OVERLAP_F_B";
  if (text.size() < tail.size() + 1 || text.front() != '(' || !text.ends_with(tail)) return false;
  const auto ops = split(text.substr(1, text.size() - tail.size() - 1), ';');
  out.resize(2);
  if (ops.size() != 2 || !read_op(ops[0], out[0]) || !read_op(ops[1], out[1])) return false;
  out[0].overlapped = out[1].overlapped = true;
  return out[0].name == "F" && out[1].name == "B";
}

}  // namespace detail

// One row per line.
inline std::vector<row> read_rows(std::istream& in, const std::string& file) {
  std::vector<row> rows;
  for (std::string line; std::getline(in, line);) {
    row& r = rows.emplace_back();
    for (const std::string_view text : detail::split(line, ',')) {
      cell& c = r.emplace_back();
      if (text.empty() || detail::read_pair(text, c)) continue;
      c.clear();
      for (const std::string_view part : detail::split(text, '+')) {
        if (detail::read_op(part, c.emplace_back())) continue;
        throw std::runtime_error(file + ':' + std::to_string(rows.size()) + ':' +
                                 std::to_string(part.data() - line.data() + 1) +
                                 ": unknown cell '" + std::string(text) + "'");
      }
    }
  }
  return rows;
}

// The sizes in `<prefix>r<R>[_v<V>|_p<P>]_m<M>[_group<N>][_f<F>b<I>w<W>c<C>]<suffix>`; false: the
// name has another form.
inline bool read_name(std::string_view name, std::string_view prefix, std::string_view suffix,
                      action_list& out) {
  detail::cursor c{name};
  const auto is_count = [&](const char* before, int& n) {
    return c.skip(before) && (n = c.number()) > 0;
  };
  const auto may_count = [&](const char* before, int& n) {
    return !c.skip(before) || (n = c.number()) > 0;
  };
  if (!c.skip(prefix) || !is_count("r", out.ranks)) return false;
  if (!may_count("_v", out.chunks) || !may_count("_p", out.pipes)) return false;
  if (!is_count("_m", out.micro_batches) || !may_count("_group", out.group)) return false;
  if (c.skip("_f")) {
    if ((out.cost.forward = c.number()) < 1 || !is_count("b", out.cost.input)) return false;
    if (!is_count("w", out.cost.weight) || !c.skip("c")) return false;
    if ((out.cost.message = c.number()) < 0) return false;
  }
  return c.rest == suffix;
}

// Names of the files under tests/golden with this prefix and suffix, sizes read, rows not.
inline std::vector<action_list> find(std::string_view prefix, std::string_view suffix = ".csv") {
  std::vector<action_list> found;
  for (const auto& entry : std::filesystem::directory_iterator(BACKSTITCH_TEST_DIR "/golden")) {
    action_list list;
    list.file = entry.path().filename().string();
    if (read_name(list.file, prefix, suffix, list)) found.push_back(list);
  }
  std::sort(found.begin(), found.end(),
            [](const action_list& a, const action_list& b) { return a.file < b.file; });
  return found;
}

inline std::ifstream open(const std::string& file) {
  std::ifstream in(BACKSTITCH_TEST_DIR "/golden/" + file);
  if (!in) throw std::runtime_error(file + ": cannot be read");
  return in;
}

// The lists with this prefix and suffix, each with one row per rank.
inline std::vector<action_list> load(std::string_view prefix, std::string_view suffix = ".csv") {
  std::vector<action_list> lists = find(prefix, suffix);
  for (action_list& list : lists) {
    std::ifstream in = open(list.file);
    list.rank = read_rows(in, list.file);
    if (list.rank.size() != static_cast<std::size_t>(list.ranks)) {
      throw std::runtime_error(list.file + ": not one line per rank");
    }
  }
  return lists;
}

inline std::string text(const op& o) {
  std::string out = std::to_string(o.stage) + o.name;
  if (o.micro_batch >= 0) out += std::to_string(o.micro_batch);
  if (o.reversed) out += 'r';
  if (o.split >= 0) out += '.' + std::to_string(o.split);
  return out;
}

// A row in the notation of the files, without idle cells and without the ops named in `dropped`.
inline std::string text(const row& r, const std::vector<std::string>& dropped = {}) {
  std::string out;
  for (const cell& c : r) {
    std::string joint = out.empty() ? "" : ",";
    if (c.size() == 2 && c[0].overlapped) {
      out += joint + '(' + text(c[0]) + ';' + text(c[1]) + ")OVERLAP_F_B";
      continue;
    }
    for (const op& o : c) {
      if (std::find(dropped.begin(), dropped.end(), o.name) != dropped.end()) continue;
      out += joint + text(o);
      joint = "+";
    }
  }
  return out;
}

}  // namespace golden
