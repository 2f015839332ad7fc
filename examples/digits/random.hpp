// Random numbers that are the same with every compiler and standard library.
#pragma once

#include <cstdint>

namespace digits {

class splitmix {  // SplitMix64 (Steele, Lea, Flood 2014)
 public:
  constexpr explicit splitmix(std::uint64_t seed) : state_{seed} {}

  constexpr std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // Uniform in [-limit, limit).
  constexpr float within(float limit) {
    const auto upper_24_bits = static_cast<float>(next() >> 40);
    return (upper_24_bits * 0x1p-23f - 1.0f) * limit;
  }

 private:
  std::uint64_t state_;
};

}  // namespace digits
