#pragma once

// 10000 * major + 100 * minor + patch, so that versions compare as integers; 0.1.0 is 100.
#define BACKSTITCH_VERSION 100

namespace backstitch {

// The same, as a constant.
inline constexpr int version = BACKSTITCH_VERSION;

}  // namespace backstitch
