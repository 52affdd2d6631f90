// What every tile op is given beside its views.
#pragma once
#include "core/program/ids.h"
#include "interp/tiles/math.h"

namespace tessera::tile {

// How to compute, and the statement's place, for the origins of undefined elements. With Math::none
// values are left alone; which elements are initialised is still tracked.
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
