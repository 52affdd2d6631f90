// Element types: their names, sizes and families.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

// f32 and f16 of IEEE 754, bf16 (f32's upper half), the FP8 types e4m3 (no infinity, one NaN) and
// e5m2 of OCP, e8m0 (powers of two, for scales of blocks; counts as a float), and integers.
enum class DType : std::uint8_t {
  f32,
  bf16,
  f16,
  e4m3,
  e5m2,
  e8m0,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64
};
// How many element types there are.
inline constexpr int dtype_count = 13;

std::string_view name(DType dtype);                       // "bf16", as in programs and options
std::optional<DType> parse_dtype(std::string_view text);  // none for a text that is no name
int size_of(DType dtype);                                 // bytes of one element
// The two families; each type belongs to one.
bool is_float(DType dtype);
inline bool is_integer(DType dtype) { return !is_float(dtype); }
// Of integers: no number below zero.
bool is_unsigned(DType dtype);
// The type in which a matmul of `dtype` operands accumulates: f32, or i32 for integers.
DType accumulator(DType dtype);

}  // namespace tessera
