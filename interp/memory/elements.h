// Values of single elements, for printing.
#pragma once
#include <cstdint>
#include <vector>

#include "interp/memory/storage.h"

namespace tessera {

// Value of one element: an integer or a float, by the type of the buffer. 0 if undefined.
struct Element {
  bool is_defined = false;
  std::int64_t integer = 0;
  float real = 0;
};
// Returns the elements of the box in row-major order. The storage must be live and not idle, and
// must contain the box.
std::vector<Element> elements_of(Storage& storage, const Box& box);

}  // namespace tessera
