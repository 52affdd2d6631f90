// Operands generated from a seed, with the same bits on every machine.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/data/tensor.h"

namespace tessera {

// Kind of numbers: standard normal, uniform, or small integers with exact sums.
enum class Fill : std::uint8_t { normal, uniform, integers };

// Parses an enumerator's name; none for other texts.
std::optional<Fill> parse_fill(std::string_view text);

// Role of the tensor in the product. Integer fills have different ranges for each role.
enum class FillRole : std::uint8_t { lhs, rhs, existing };

// Fills the tensor. Element i depends only on (seed, i) and is rounded once to the tensor's type.
//   normal    mean 0, deviation 1 (i8: 32; other integers: 64)
//   uniform   [0, 1) (i8: all values; other integers: -64 .. 64)
//   integers  integers so small that every sum of `terms` products is exact in the accumulator,
//             in any order: lhs -4 .. 4, rhs -2 .. 2 (f32: -64 .. 64, -128 .. 128), halved while
//             `terms` products could exceed 2^24; existing results -8 .. 8.
//             Follows oneDNN's benchdnn (matmul/cfg.cpp).
// e8m0, which has neither zero nor sign, is filled with powers of two from 1/8 to 8 for each kind.
// Throws Interrupted (core/report/stop.h) if a stop is requested.
void fill(Tensor& tensor, Fill kind, FillRole role, std::int64_t terms, std::uint64_t seed);

// Returns a flat tensor of normal numbers, which is repeated to fill an operand of `elements`
// elements. It has at most `elements` elements; if it has fewer, their number is prime, so that
// rows differ. Throws Interrupted like fill().
Tensor normal_block(DType dtype, std::int64_t elements, std::uint64_t seed);

// Returns the largest magnitude in an integer fill. terms: products of a sum, as for fill().
std::int64_t integer_range(DType dtype, FillRole role, std::int64_t terms);

// Quantile function of the standard normal distribution, 0 < p < 1, with a relative error of
// 1.2e-9. Uses only basic arithmetic and sqrt, so that its bits do not depend on a mathematical
// library.
double normal_quantile(double p);

}  // namespace tessera
