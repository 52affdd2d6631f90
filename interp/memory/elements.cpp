#include "interp/memory/elements.h"

namespace tessera {

std::vector<Element> elements_of(Storage& storage, const Box& box) {
  std::vector<Element> all;
  const bool is_real = is_float(storage.buffer().dtype);
  for (std::int64_t i = 0, n = box.elements(); i < n; ++i) {
    const Box one = element(box, index_in(box, i));
    Element found{.is_defined = storage.is_initialised(one)};
    if (found.is_defined && is_real) found.real = storage.load_real(one);
    if (found.is_defined && !is_real) found.integer = storage.load_integer(one);
    all.push_back(found);
  }
  return all;
}

}  // namespace tessera
