// Edges that carry C++ objects: strings and vectors whose size differs from one micro-batch to the
// next, and a type that can only be moved.
//
//   stage 0                stage 1                 stage 2
//   read_line -- line ---> split -- words -------> count -> longest, letters
//             -- page --------------------------> count      (move-only, past stage 1)
//
// A variable may have any type that is default-constructible and movable. What happens at the edge:
//   * its last use where it was made is over: the value is moved, so no copy is made
//   * its stage still reads it, or several stages receive it: it is copied, or read in place where
//     that costs no memory (engine on threads)
//   * it can only be moved, but would have to be copied: a compile error (edge_not_transferable)
// Each value is constructed once, handed to its writer as T{} if its type has a destructor (else as
// the last writer left it), and destroyed with the engine.
#include <backstitch/backstitch.hpp>
#include <backstitch/host/engine.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace bs = backstitch;

constexpr const char* text[] = {"a stitch in time saves nine", "backstitch",
                                "one stitch forward one stitch back", "sewn"};

// Tells how often such a value was copied.
struct words_of_line {
  std::vector<std::string> list;
  static inline int copies = 0;  // only stage 1 copies or moves them
  words_of_line() = default;
  words_of_line(const words_of_line& other) : list(other.list) { ++copies; }
  words_of_line(words_of_line&&) = default;
  words_of_line& operator=(const words_of_line& other) {
    list = other.list;
    ++copies;
    return *this;
  }
  words_of_line& operator=(words_of_line&&) = default;
};

struct line : bs::activation<std::string> {};
struct words : bs::activation<words_of_line> {};
struct page : bs::activation<std::unique_ptr<std::size_t>> {};  // move-only
struct longest : bs::activation<std::string> {};                // read by no op: an output
struct letters : bs::step_value<std::size_t> {};

struct read_line : bs::forward {
  void operator()(bs::micro_batch m, bs::out<line> to, bs::out<page> number) const {
    *to = text[m];
    *number = std::make_unique<std::size_t>(m + 1);
  }
};
struct split : bs::forward {
  void operator()(bs::in<line> from, bs::out<words> to) const {
    std::istringstream stream(*from);
    for (std::string word; stream >> word;) to->list.push_back(std::move(word));
  }
};
struct count : bs::forward {
  void operator()(bs::in<words> from, bs::in<page> number, bs::out<longest> best,
                  bs::accumulate<letters> sum) const {
    for (const std::string& word : from->list) {
      *sum += word.size();
      if (word.size() > best->size()) *best = word;
    }
    *best += " on page " + std::to_string(**number);
  }
};

using model = bs::pipeline<bs::stage<read_line>, bs::stage<split>, bs::stage<count>>;
using plan = bs::plan<model, bs::one_f_one_b, bs::micro_batches<4>>;

int main() {
  bs::host::engine<plan> engine;
  engine.step();
  for (std::size_t m = 0; m < plan::micro_batches; ++m) {
    std::printf("%s\n", engine.get<longest>(m).c_str());
  }
  std::printf("%zu letters, %d copies\n", engine.get<letters>(), words_of_line::copies);
}
