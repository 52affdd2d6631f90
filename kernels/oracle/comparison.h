// How a result differs from a tensor that somebody expects, element by element.
#pragma once
#include <cstdint>
#include <vector>

#include "core/data/tensor.h"

namespace tessera {

// What floats may differ by: |got - expected| <= absolute + relative * |expected|. Integers must be
// equal.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

// What each float may differ by, in the order in which they are stored: an error bound. A NaN: it
// is not known. The expected number may be half a unit of its type's last place off beside that.
using ElementBounds = std::vector<float>;

enum class Agreement : std::uint8_t { right, wrong, unbounded };

struct Comparison {
  std::int64_t elements = 0;      // how many were compared
  std::int64_t wrong = 0;         // how many of them differ by more than they may
  std::int64_t first_wrong = -1;  // flat, in the order in which they are stored; -1: none
  std::int64_t worst = -1;        // the wrong element that differs most, likewise
  double max_abs_error = 0;       // the largest finite difference, of right elements as well
  // Number of elements with the same value, the same sign of zero included. NaN equals any NaN.
  std::int64_t identical = 0;
  // By bounds of each element alone.
  double largest_share = 0;           // of what it may differ by, of right elements
  std::int64_t unbounded = 0;         // how many differ where the bound is not known
  std::int64_t first_unbounded = -1;  // likewise
};

// Whether element i of both agrees. An infinity agrees with itself, and NaN with NaN.
bool agrees(const Tensor& got, const Tensor& expected, std::int64_t i, const Tolerance& tolerance);
// The same by the bounds. A finite `got` that is the number of its type nearest to the expected
// number is right in any case. The expected number itself is neither rounded nor saturated.
Agreement agreement(const Tensor& got, const Tensor& expected, std::int64_t i,
                    const ElementBounds& bounds);
// Both of one shape, and both of floats or both of integers; their element types may differ.
Comparison compare(const Tensor& got, const Tensor& expected, const Tolerance& tolerance);
Comparison compare_by_bounds(const Tensor& got, const Tensor& expected,
                             const ElementBounds& bounds);

}  // namespace tessera
