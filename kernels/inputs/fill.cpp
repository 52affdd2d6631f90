#include "kernels/inputs/fill.h"

#include <algorithm>
#include <cmath>

#include "core/data/dtype_info.h"
#include "core/data/element.h"
#include "core/data/splitmix.h"
#include "core/report/stop.h"

namespace tessera {
namespace {

// Largest magnitudes of lhs and rhs for which the sum of `terms` products and an existing result is
// exact in f32.
struct Ranges {
  std::int64_t lhs, rhs;
};

Ranges ranges(DType dtype, std::int64_t terms) {
  Ranges range = dtype == DType::f32 ? Ranges{64, 128} : Ranges{4, 2};
  if (is_integer(dtype)) return range;
  constexpr std::int64_t exact = (std::int64_t{1} << 24) - 8;
  while (range.lhs * range.rhs > 1 &&
         range.lhs * range.rhs > exact / std::max<std::int64_t>(terms, 1)) {
    (range.lhs > range.rhs ? range.lhs : range.rhs) /= 2;
  }
  return range;
}

std::int64_t integer_of(std::uint64_t word, std::int64_t largest) {
  // Multiplies 32 bits of the word by the number of values. This avoids a division; the bias is
  // below 2^-24.
  const auto values = static_cast<std::uint64_t>(2 * largest + 1);
  return static_cast<std::int64_t>(((word >> 32) * values) >> 32) - largest;
}

// Returns a number in (0, 1), because the quantile of 0 is not finite.
double inner_unit(std::uint64_t word) { return (static_cast<double>(word >> 12) + 0.5) * 0x1p-52; }

template <typename T, typename Value, typename Round>
void each(Tensor& tensor, std::uint64_t seed, Value value, Round round) {
  T* const data = tensor.as<T>();
  const std::int64_t count = tensor.elements();
  // Mixes the seed first: otherwise the streams of seeds 0 and 1 would be shifted by a golden step.
  std::uint64_t state = SplitMix::mix(seed ^ 0x5851F42D4C957F2D);
  constexpr std::int64_t stretch = 1 << 20;
  for (std::int64_t i = 0; i < count;) {
    leave_if_stopped();
    for (const std::int64_t end = std::min(count, i + stretch); i < end; ++i) {
      state += SplitMix::golden;
      data[i] = static_cast<T>(round(value(SplitMix::mix(state))));
    }
  }
}

template <typename T, typename Round>
void floats(Tensor& tensor, Fill kind, std::int64_t largest, std::uint64_t seed, Round round) {
  switch (kind) {
    case Fill::normal:
      return each<T>(
          tensor, seed, [](std::uint64_t w) { return normal_quantile(inner_unit(w)); }, round);
    case Fill::uniform:
      return each<T>(
          tensor, seed, [](std::uint64_t w) { return SplitMix::unit(w); }, round);
    case Fill::integers:
      return each<T>(
          tensor, seed,
          [=](std::uint64_t w) { return static_cast<double>(integer_of(w, largest)); }, round);
  }
}

template <typename T>
void integers(Tensor& tensor, Fill kind, std::int64_t largest, std::uint64_t seed) {
  constexpr bool narrow = sizeof(T) == 1;
  const auto keep = [](std::int64_t value) { return value; };
  switch (kind) {
    case Fill::normal:
      return each<T>(
          tensor, seed,
          [](std::uint64_t w) {
            const double value =
                std::nearbyint(normal_quantile(inner_unit(w)) * (narrow ? 32 : 64));
            return static_cast<std::int64_t>(
                std::clamp(value, narrow ? -128.0 : -4096.0, narrow ? 127.0 : 4096.0));
          },
          keep);
    case Fill::uniform:
      if (narrow)
        return each<T>(
            tensor, seed, [](std::uint64_t w) { return static_cast<std::int64_t>(w >> 56) - 128; },
            keep);
      return each<T>(
          tensor, seed, [](std::uint64_t w) { return integer_of(w, 64); }, keep);
    case Fill::integers:
      return each<T>(
          tensor, seed, [=](std::uint64_t w) { return integer_of(w, largest); }, keep);
  }
}

}  // namespace

std::optional<Fill> parse_fill(std::string_view text) {
  if (text == "normal") return Fill::normal;
  if (text == "uniform") return Fill::uniform;
  if (text == "integers") return Fill::integers;
  return std::nullopt;
}

std::int64_t integer_range(DType dtype, FillRole role, std::int64_t terms) {
  const Ranges range = ranges(dtype, terms);
  return role == FillRole::lhs ? range.lhs : role == FillRole::rhs ? range.rhs : 8;
}

void fill(Tensor& tensor, Fill kind, FillRole role, std::int64_t terms, std::uint64_t seed) {
  const std::int64_t largest = integer_range(tensor.dtype(), role, terms);
  element::with_dtype(tensor.dtype(), [&](auto type) {
    constexpr DType dtype = decltype(type)::value;
    using T = element::Stored<dtype>;
    if constexpr (dtype_info(dtype).kind == DTypeKind::scale)
      each<T>(
          tensor, seed, [](std::uint64_t w) { return 127 + integer_of(w, 3); },
          [](std::int64_t x) { return x; });
    else if constexpr (dtype_info(dtype).kind == DTypeKind::integer)
      integers<T>(tensor, kind, largest, seed);
    else
      floats<T>(tensor, kind, largest, seed,
                [](double x) { return element::from_value<dtype>(x, Overflow::saturate); });
  });
}

Tensor normal_block(DType dtype, std::int64_t elements, std::uint64_t seed) {
  constexpr std::int64_t prime = 4'000'037;
  Tensor numbers(dtype, {std::min(prime, elements)});
  fill(numbers, Fill::normal, FillRole::lhs, 1, seed);
  return numbers;
}

}  // namespace tessera
