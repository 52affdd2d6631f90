// Rows of dtype.def, and the kinds of element types that operations require.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/data/dtype.h"

namespace tessera {

// real: f32 and the 16-bit floats; fp8: one-byte floats, whose values bf16 can represent; scale:
// powers of two without a sign.
enum class DTypeKind : std::uint8_t { real, fp8, scale, integer };

// Columns of dtype.def.
struct DTypeInfo {
  std::string_view name;
  int size;  // bytes of one element
  DTypeKind kind;
  std::string_view npy, safetensors, cuda;  // spellings in files, storage type in CUDA C++
  std::uint64_t undefined;                  // bits that reads of undefined elements return
  double largest;                           // largest finite number; i64: 2^63
  // Binary digits of a float's significand, exponent of the smallest positive number; 0: not used.
  int digits, least;
};

// In the order of DType.
inline constexpr auto dtype_table = std::to_array<DTypeInfo>({
#define TYPE(type, stored, kind, ...) {#type, sizeof(stored), DTypeKind::kind, __VA_ARGS__},
#include "core/data/dtype.def"
#undef TYPE
});
static_assert(dtype_table.size() == dtype_count, "dtype.h and dtype.def have other types");
#define TYPE(type, ...) \
  static_assert(dtype_table[static_cast<std::size_t>(DType::type)].name == #type);
#include "core/data/dtype.def"
#undef TYPE

// Returns the row of the type in dtype.def.
constexpr const DTypeInfo& dtype_info(DType dtype) {
  return dtype_table[static_cast<std::size_t>(dtype)];
}
constexpr bool is_fp8(DType dtype) { return dtype_info(dtype).kind == DTypeKind::fp8; }

// Return the names of the types of a kind, or of all types, in the order of the table.
std::vector<std::string_view> dtype_names(DTypeKind kind);
std::vector<std::string_view> dtype_names();

}  // namespace tessera
