// Operands made from a seed: the same bits on every machine, element by element.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/data/tensor.h"

namespace tessera {

// The kind of numbers: standard normal, uniform, or small integers whose sums are exact.
enum class Fill : std::uint8_t { normal, uniform, integers };

// By the enumerator's name; none for another text.
std::optional<Fill> parse_fill(std::string_view text);

// What the tensor is to the product: the ranges of integer fills differ.
enum class FillRole : std::uint8_t { lhs, rhs, existing };

// Fills with element i a function of (seed, i) alone, rounded once to the tensor's type.
//   normal    mean 0, deviation 1 (i8: 32; other integers: 64)
//   uniform   [0, 1) (i8: all values; other integers: -64 .. 64)
//   integers  whole numbers so small that every sum of `terms` products is exact in the
//   accumulator, in any order:
//             lhs -4 .. 4, rhs -2 .. 2 (f32: -64 .. 64, -128 .. 128), halved while `terms` of them
//             could pass 2^24; existing results -8 .. 8. After oneDNN's benchdnn (matmul/cfg.cpp).
// e8m0, which has neither zero nor sign, gets powers of two from 1/8 to 8, whatever the kind. A
// request to stop throws Interrupted (core/report/stop.h).
void fill(Tensor& tensor, Fill kind, FillRole role, std::int64_t terms, std::uint64_t seed);

// A flat tensor of normal numbers with which an operand of `elements` can be filled by repetition:
// of at most that many elements, a prime number of them where they are fewer, so that rows differ.
Tensor normal_block(DType dtype, std::int64_t elements, std::uint64_t seed);

// The largest magnitude in a fill of integers.
std::int64_t integer_range(DType dtype, FillRole role, std::int64_t terms);

// The quantile function of the standard normal distribution, 0 < p < 1, with a relative error of
// 1.2e-9. It uses basic arithmetic and sqrt only, so that its bits do not depend on a mathematical
// library.
double normal_quantile(double p);

}  // namespace tessera
