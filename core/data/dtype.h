// Element types: their names, sizes and families.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

enum class DType : std::uint8_t { f32, bf16, f16, e4m3, e5m2, e8m0, i8, i32, u32, i64 };
inline constexpr int dtype_count = 10;

std::string_view name(DType dtype);                       // "bf16"
std::optional<DType> parse_dtype(std::string_view text);  // the inverse of name()
int size_of(DType dtype);                                 // bytes of one element
bool is_float(DType dtype);
inline bool is_integer(DType dtype) { return !is_float(dtype); }
// The type in which a matmul of `dtype` operands accumulates: f32, or i32 for integers.
DType accumulator(DType dtype);

}  // namespace tessera
