#include "analysis/equality/exact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/data/convert.h"

namespace tessera::fields {

bool is_rounded_away(DType dtype) { return is_integer(dtype) || size_of(dtype) == 1; }

bool is_as_written(double literal) {
  constexpr std::ptrdiff_t max_digits = 15;
  const std::string text = fmt::format("{}", literal);
  const auto end = std::find(text.begin(), text.end(), 'e');
  return std::count_if(text.begin(), end, [](char c) { return c >= '0' && c <= '9'; }) <=
         max_digits;
}

bool is_held_by(DType dtype, double literal) {
  if (std::isinf(literal)) return !is_rounded_away(dtype);
  alignas(8) std::byte element[8];
  store_element(element, dtype, literal);
  return load_element(element, dtype) == literal;
}

bool holds_integers(DType to, const Operand& from) {
  if (to == from.dtype || to == DType::i64) return true;
  if (!from.is_known)
    return size_of(to) > size_of(from.dtype) && (!is_unsigned(to) || is_unsigned(from.dtype));
  const int bits = 8 * size_of(to);
  const std::int64_t least = is_unsigned(to) ? 0 : -(std::int64_t{1} << (bits - 1));
  const std::int64_t count = std::int64_t{1} << bits;
  return std::all_of(from.integers.begin(), from.integers.end(),
                     [&](std::int64_t value) { return value >= least && value < least + count; });
}

}  // namespace tessera::fields
