// Parameters of every tile op in addition to its views.
#pragma once
#include "core/program/ids.h"
#include "interp/tiles/math.h"

namespace tessera::tile {

// Computation mode, and the place of the statement for the origins of undefined elements.
// Math::none leaves values unchanged, except with iota(); initialisation is still tracked.
struct Context {
  Math math = Math::library;
  PlaceId place;
};

// Operands of a matmul that are read transposed.
struct Transposed {
  bool a = false;
  bool b = false;
};

}  // namespace tessera::tile
