// How a result differs from a tensor that somebody expects, element by element.
#pragma once
#include <cstdint>

#include "core/data/tensor.h"

namespace tessera {

// What floats may differ by: |got - expected| <= absolute + relative * |expected|. Integers must be
// equal.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

struct Comparison {
  std::int64_t elements = 0;      // how many were compared
  std::int64_t wrong = 0;         // how many of them differ by more than they may
  std::int64_t first_wrong = -1;  // flat, in the order in which they are stored; -1: none
  std::int64_t worst = -1;        // the wrong element that differs most, likewise
  double max_abs_error = 0;       // the largest finite difference, of right elements as well
};

// Whether element i of both agrees. An infinity agrees with itself, and NaN with NaN.
bool agrees(const Tensor& got, const Tensor& expected, std::int64_t i, const Tolerance& tolerance);
// Both of one shape, and both of floats or both of integers; their element types may differ.
Comparison compare(const Tensor& got, const Tensor& expected, const Tolerance& tolerance);

}  // namespace tessera
