// The data: one text file -> training rows and test rows, and the order in which training sees
// them.
#pragma once

#include "random.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace digits {

inline constexpr int pixels = 64;
inline constexpr int classes = 10;
inline constexpr std::size_t rows_in_file = 1797;

struct example {
  float image[pixels];  // 0 (white) to 1 (black)
  int label;
};

struct dataset {
  std::vector<example> train, test;
};

struct data_error : std::runtime_error {
  using runtime_error::runtime_error;
};

namespace detail {

[[noreturn]] inline void reject(const std::string& place, const std::string& expected,
                                const std::string& found) {
  throw data_error{place + ": expected " + expected + ", found " + found};
}

inline std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 20;
  return "'" + std::string{text.substr(0, longest)} + (text.size() > longest ? "...'" : "'");
}

inline int parse_number(std::string_view field, int largest, const std::string& place) {
  int number = -1;
  const auto* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, number);
  if (error != std::errc{} || stop != end || number < 0 || number > largest) {
    reject(place, "a whole number from 0 to " + std::to_string(largest), quoted(field));
  }
  return number;
}

inline example parse_row(std::string_view line, const std::string& place) {
  const auto columns = 1 + std::count(line.begin(), line.end(), ',');
  if (columns != pixels + 1) {
    reject(place,
           std::to_string(pixels + 1) + " numbers with commas between (64 pixels and a label)",
           line.empty() ? "an empty line" : std::to_string(columns));
  }
  example row{};
  for (int column = 0; column <= pixels; ++column) {
    const auto field = line.substr(0, line.find(','));
    line.remove_prefix(std::min(field.size() + 1, line.size()));
    const auto where = place + ": column " + std::to_string(column + 1);
    if (column < pixels) {
      row.image[column] = static_cast<float>(parse_number(field, 16, where)) / 16.0f;
    } else {
      row.label = parse_number(field, classes - 1, where);
    }
  }
  return row;
}

}  // namespace detail

// Lines may end in LF or CR LF, and empty lines may follow the last row; anything else is a
// data_error.
inline dataset read_dataset(const std::string& file) {
  const std::string a_table = "a file of at least " + std::to_string(rows_in_file) + " rows";
  std::error_code status;
  if (std::filesystem::exists(file, status) && !std::filesystem::is_regular_file(file, status)) {
    detail::reject(file, a_table, "a directory or a device");
  }
  errno = 0;
  std::ifstream in{file, std::ios::binary};
  if (!in) {
    detail::reject(file, a_table, errno != 0 ? std::strerror(errno) : "that it cannot be opened");
  }

  dataset data;
  std::size_t rows = 0;
  std::size_t line_number = 0;
  std::size_t empty_line = 0;  // the first one; an error only if a row follows it
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    if (line.empty()) {
      empty_line = empty_line != 0 ? empty_line : line_number;
      continue;
    }
    if (empty_line != 0) {
      detail::parse_row("", file + ":" + std::to_string(empty_line));
    }
    const bool is_test = rows++ % 5 == 4;
    (is_test ? data.test : data.train)
        .push_back(detail::parse_row(line, file + ":" + std::to_string(line_number)));
  }
  if (in.bad()) {
    detail::reject(file + ":" + std::to_string(line_number + 1), a_table, "a read error");
  }
  if (rows < rows_in_file) {
    detail::reject(file + ":" + std::to_string(line_number + 1), a_table,
                   "its end after " + std::to_string(rows));
  }
  return data;
}

// The training rows as one endless stream: each row once per epoch, in an order drawn anew. An
// epoch may end inside a step; the step is filled up from the next epoch, so no row is dropped.
class row_stream {
 public:
  row_stream() = default;
  explicit row_stream(const std::vector<example>& rows) : rows_{&rows}, order_(rows.size()) {}

  const example& at(std::size_t position) {
    const auto epoch = position / order_.size();
    if (epoch != epoch_) {
      shuffle(epoch);
    }
    return (*rows_)[order_[position % order_.size()]];
  }

 private:
  void shuffle(std::size_t epoch) {
    epoch_ = epoch;
    splitmix random{epoch};
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (auto left = order_.size(); left > 1; --left) {
      std::swap(order_[left - 1], order_[random.next() % left]);
    }
  }

  const std::vector<example>* rows_ = nullptr;
  std::vector<std::size_t> order_;
  std::size_t epoch_ = static_cast<std::size_t>(-1);
};

}  // namespace digits
