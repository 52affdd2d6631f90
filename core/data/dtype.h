// Element types: their names, sizes and families.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

// f32 and f16 of IEEE 754; bf16 (upper half of f32); the FP8 types of OCP: e4m3 (no infinity, one
// NaN) and e5m2; e8m0 (powers of two, for block scales; counts as a float); and integers.
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
// Number of element types.
inline constexpr int dtype_count = 13;

std::string_view name(DType dtype);                       // "bf16", as in programs and options
std::optional<DType> parse_dtype(std::string_view text);  // none if there is no such type
int size_of(DType dtype);                                 // bytes of one element
// Families of types; each type belongs to exactly one.
bool is_float(DType dtype);
inline bool is_integer(DType dtype) { return !is_float(dtype); }
// True for integer types without negative values.
bool is_unsigned(DType dtype);
// Returns the type in which a matmul of `dtype` operands accumulates: f32, or i32 for integers.
DType accumulator(DType dtype);

}  // namespace tessera
