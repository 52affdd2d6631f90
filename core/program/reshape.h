// What the ops on tiles that are not elementwise make of a matrix: the language and the rules ask
// here.
#pragma once
#include <cstdint>

#include "core/program/op.h"

namespace tessera {

enum class Reshape : std::uint8_t {
  none,        // elementwise, or no op on tiles
  transposed,  // [c, r] of [r, c]
  column,      // [r, 1]
  row          // [1, c]
};

Reshape reshape_of(const Op& op);

}  // namespace tessera
