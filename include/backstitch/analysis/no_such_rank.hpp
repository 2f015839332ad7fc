// A rank number that a schedule does not have. In a constant expression the compiler points at the
// call; at run time it is thrown.
#pragma once

#include <exception>

namespace backstitch {

/// Thrown by the figures of a plan or schedule that are asked for a rank outside 0 .. ranks-1.
class no_such_rank : public std::exception {
 public:
  // `rank` was asked for, of `ranks`.
  no_such_rank(int rank, int ranks) {
    append("backstitch: rank ");
    append(rank);
    append(" does not exist; the last one is ");
    append(ranks - 1);
  }
  // Names both.
  const char* what() const noexcept override { return text_; }

 private:
  // By hand, since <string> would make up half of the umbrella's compile time.
  void append(const char* s) {
    while (*s != '\0') text_[length_++] = *s++;
  }
  void append(int number) {
    char digits[12] = {};
    int n = 0;
    const bool negative = number < 0;
    for (long long rest = negative ? -static_cast<long long>(number) : number; n == 0 || rest > 0;
         rest /= 10) {
      digits[n++] = static_cast<char>('0' + rest % 10);
    }
    if (negative) text_[length_++] = '-';
    while (n > 0) text_[length_++] = digits[--n];
  }

  char text_[80] = {};
  int length_ = 0;
};

}  // namespace backstitch
