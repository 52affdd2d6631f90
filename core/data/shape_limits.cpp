#include "core/data/shape_limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

std::string shape_problem(const Shape& shape) {
  std::int64_t total = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || extent > max_extent)
      return fmt::format("expected an extent from 0 to 2^40, found {}", extent);
    if (extent != 0 && total > max_extent / extent)
      return fmt::format("shape {} has more than 2^40 elements", to_string(shape));
    total *= extent;
  }
  return {};
}

std::int64_t saturated_product(std::initializer_list<std::int64_t> factors) {
  if (std::find(factors.begin(), factors.end(), 0) != factors.end()) return 0;
  std::int64_t product = 1;
  for (const std::int64_t factor : factors)
    if (__builtin_mul_overflow(product, factor, &product)) return INT64_MAX;
  return product;
}

}  // namespace tessera
