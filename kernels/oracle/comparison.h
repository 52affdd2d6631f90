// Element-by-element comparison of a result with an expected tensor.
#pragma once
#include <cstdint>
#include <vector>

#include "core/data/tensor.h"

namespace tessera {

// Allowed difference of floats: |got - expected| <= absolute + relative * |expected|. Integers must
// be equal.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

// Allowed difference of each float, in storage order: an error bound; NaN: not known. In addition,
// the expected number may differ by half a unit in the last place of its type.
using ElementBounds = std::vector<float>;

// unbounded: the numbers differ, and the bound of the element is not known.
enum class Agreement : std::uint8_t { right, wrong, unbounded };

struct Comparison {
  std::int64_t elements = 0;      // number of compared elements
  std::int64_t wrong = 0;         // elements outside the allowed difference
  std::int64_t first_wrong = -1;  // flat index in storage order; -1: none
  std::int64_t worst = -1;        // flat index of the wrong element that differs most; -1: none
  double max_abs_error = 0;       // largest finite difference, including right elements
  // Elements with the same value and the same sign of zero. NaN equals any NaN.
  std::int64_t identical = 0;
  // The members below are only set by compare_by_bounds. Largest error of a right element as a
  // fraction of its allowed difference, at most 1.
  double largest_share = 0;
  std::int64_t unbounded = 0;         // elements that differ and have no known bound
  std::int64_t first_unbounded = -1;  // flat index; -1: none
};

// True if element i, counted in storage order from 0, of both tensors agrees. An infinity agrees
// with itself, and NaN with NaN.
bool agrees(const Tensor& got, const Tensor& expected, std::int64_t i, const Tolerance& tolerance);
// Compares element i with its bound. A finite `got` that is the number of its type nearest to the
// expected number is always right. The expected number is neither rounded nor saturated.
Agreement agreement(const Tensor& got, const Tensor& expected, std::int64_t i,
                    const ElementBounds& bounds);
// Compare two tensors of the same shape, both of floats or both of integers (compare_by_bounds:
// floats, with one bound per element). Their element types may differ. Throw Interrupted
// (core/report/stop.h) if a stop is requested.
Comparison compare(const Tensor& got, const Tensor& expected, const Tolerance& tolerance);
Comparison compare_by_bounds(const Tensor& got, const Tensor& expected,
                             const ElementBounds& bounds);

}  // namespace tessera
