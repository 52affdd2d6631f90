// Single elements of memory, for those who show it.
#pragma once
#include <cstdint>
#include <vector>

#include "interp/memory/storage.h"

namespace tessera {

// One element: an integer or a float.
struct Element {
  bool is_defined = false;
  std::int64_t integer = 0;
  float real = 0;
};
// The elements of a rectangle, row-major; the storage is live and holds bytes, and the box is
// inside of it.
std::vector<Element> elements_of(Storage& storage, const Box& box);

}  // namespace tessera
