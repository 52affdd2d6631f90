#include "cli/args/fill_operand.h"

namespace tessera::cli {

Tensor filled_operand(DType dtype, const Shape& shape, Fill kind, FillRole role, std::int64_t terms,
                      std::uint64_t seed) {
  return Tensor::deferred(dtype, shape, [=] {
    Tensor tensor = Tensor::uninitialised(dtype, shape);
    fill(tensor, kind, role, terms, seed);
    return tensor;
  });
}

}  // namespace tessera::cli
