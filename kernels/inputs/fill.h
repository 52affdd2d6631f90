// Operands made from a seed: the same bits on every machine, element by element.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/data/tensor.h"

namespace tessera {

enum class Fill : std::uint8_t { normal, uniform, integers };

std::optional<Fill> parse_fill(std::string_view text);  // "normal", "uniform", "integers"

// What a tensor is to the product it is made for: ranges of integer fills differ.
enum class FillRole : std::uint8_t { lhs, rhs, existing };

// Fills with element i a function of (seed, i) alone, rounded once to the tensor's type.
//   normal    mean 0, deviation 1 (i8: 32; other integers: 64)
//   uniform   [0, 1) (i8: all values; other integers: -64 .. 64)
//   integers  whole numbers so small that every sum of `terms` products is exact in the
//   accumulator, in any order:
//             lhs -4 .. 4, rhs -2 .. 2 (f32: -64 .. 64, -128 .. 128), halved while `terms` of them
//             could pass 2^24; existing results -8 .. 8. After oneDNN's benchdnn (matmul/cfg.cpp).
// A request to stop is followed (core/report/stop.h).
// e8m0 has neither zero nor sign: powers of two from 1/8 to 8, whatever the kind.
void fill(Tensor& tensor, Fill kind, FillRole role, std::int64_t terms, std::uint64_t seed);

// Normal numbers for so many elements, or a block of a prime count of them for more: repeated, it
// begins at another place in every row.
Tensor normal_block(DType dtype, std::int64_t elements, std::uint64_t seed);

// The largest magnitude of an integer fill.
std::int64_t integer_range(DType dtype, FillRole role, std::int64_t terms);

// The standard normal value below which a share p of (0, 1) lies, to a relative 1.2e-9. Uses + - *
// / and sqrt only, so that its bits do not depend on a mathematical library.
double normal_quantile(double p);

}  // namespace tessera
