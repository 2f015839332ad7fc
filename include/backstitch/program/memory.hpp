// When memory is reused within a step.
#pragma once

namespace backstitch::memory {

// A slot is reused as soon as its last reader is done (the default).
struct reuse {};

// Nothing is reused within a step: every micro-batch has a slot of its own, and the engine can read
// every value after the step. The reference worker's negative deletion threshold.
struct keep {};

}  // namespace backstitch::memory
