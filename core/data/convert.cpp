#include "core/data/convert.h"

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/data/element.h"
#include "core/report/check.h"

namespace tessera {
namespace {

using element::Stored;

template <DType from, DType to>
[[gnu::always_inline]] inline void loop(const std::byte* src, std::byte* dst, std::int64_t n,
                                        Overflow overflow) {
  if constexpr (from == to) {
    if (n > 0) std::memcpy(dst, src, static_cast<std::size_t>(n) * sizeof(Stored<to>));
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      Stored<from> stored;
      std::memcpy(&stored, src + i * static_cast<std::int64_t>(sizeof stored), sizeof stored);
      const Stored<to> result = element::from_value<to>(element::value_of<from>(stored), overflow);
      std::memcpy(dst + i * static_cast<std::int64_t>(sizeof result), &result, sizeof result);
    }
  }
}

using Converter = void (*)(const std::byte* src, std::byte* dst, std::int64_t n, Overflow overflow);

template <DType from, DType to>
void baseline(const std::byte* src, std::byte* dst, std::int64_t n, Overflow overflow) {
  loop<from, to>(src, dst, n, overflow);
}

// The same loop in wider registers, where the processor has them.
#if defined(__x86_64__)
template <DType from, DType to>
[[gnu::target("avx2")]] void wide(const std::byte* src, std::byte* dst, std::int64_t n,
                                  Overflow overflow) {
  loop<from, to>(src, dst, n, overflow);
}
bool has_wide() { return __builtin_cpu_supports("avx2") != 0; }
#else
template <DType from, DType to>
constexpr Converter wide = baseline<from, to>;
bool has_wide() { return false; }
#endif

struct Loops {
  Converter baseline;
  Converter wide;
};

template <std::size_t... pair>
constexpr std::array<Loops, sizeof...(pair)> all_loops(std::index_sequence<pair...>) {
  return {{{baseline<DType{pair / dtype_count}, DType{pair % dtype_count}>,
            wide<DType{pair / dtype_count}, DType{pair % dtype_count}>}...}};
}

template <typename S, typename D>
void convert_spans(std::span<const S> src, DType from, std::span<D> dst, DType to) {
  CHECK(src.size() == dst.size());
  convert(std::as_bytes(src).data(), from, std::as_writable_bytes(dst).data(), to,
          static_cast<std::int64_t>(src.size()));
}

}  // namespace

void convert(const std::byte* src, DType from, std::byte* dst, DType to, std::int64_t n,
             Overflow overflow) {
  static constexpr auto loops = all_loops(std::make_index_sequence<dtype_count * dtype_count>{});
  static const bool use_wide = has_wide();
  CHECK(size_of(from) > 0 && size_of(to) > 0 && n >= 0);
  const Loops& pair =
      loops[static_cast<std::size_t>(from) * dtype_count + static_cast<std::size_t>(to)];
  (use_wide ? pair.wide : pair.baseline)(src, dst, n, overflow);
}

void f32_to_bf16(std::span<const float> src, std::span<std::uint16_t> dst) {
  convert_spans(src, DType::f32, dst, DType::bf16);
}
void bf16_to_f32(std::span<const std::uint16_t> src, std::span<float> dst) {
  convert_spans(src, DType::bf16, dst, DType::f32);
}
void f32_to_f16(std::span<const float> src, std::span<std::uint16_t> dst) {
  convert_spans(src, DType::f32, dst, DType::f16);
}
void f16_to_f32(std::span<const std::uint16_t> src, std::span<float> dst) {
  convert_spans(src, DType::f16, dst, DType::f32);
}

double load_element(const std::byte* src, DType dtype) {
  double value = 0;
  const auto load = [&](auto constant) {
    Stored<constant()> stored;
    std::memcpy(&stored, src, sizeof stored);
    value = static_cast<double>(element::value_of<constant()>(stored));
  };
  element::with_dtype(dtype, load);
  return value;
}

void store_element(std::byte* dst, DType dtype, double value, Overflow overflow) {
  const auto store = [&](auto constant) {
    const Stored<constant()> stored = element::from_value<constant()>(value, overflow);
    std::memcpy(dst, &stored, sizeof stored);
  };
  element::with_dtype(dtype, store);
}

}  // namespace tessera
