#include "core/data/dtype.h"

#include "core/data/dtype_info.h"
#include "core/data/element.h"
#include "core/report/check.h"

namespace tessera {
namespace {

const DTypeInfo& checked(DType dtype) {
  CHECK(static_cast<std::size_t>(dtype) < dtype_table.size());
  return dtype_info(dtype);
}

}  // namespace

std::string_view name(DType dtype) { return checked(dtype).name; }

std::optional<DType> parse_dtype(std::string_view text) {
  for (std::size_t i = 0; i < dtype_table.size(); ++i) {
    if (dtype_table[i].name == text) return static_cast<DType>(i);
  }
  return std::nullopt;
}

int size_of(DType dtype) { return checked(dtype).size; }

bool is_float(DType dtype) { return checked(dtype).kind != DTypeKind::integer; }

bool is_unsigned(DType dtype) {
  bool is = false;
  element::with_dtype(dtype, [&](auto type) {
    is = std::is_unsigned_v<element::Stored<type()>> && is_integer(dtype);
  });
  return is;
}

DType accumulator(DType dtype) { return is_float(dtype) ? DType::f32 : DType::i32; }

std::vector<std::string_view> dtype_names(DTypeKind kind) {
  std::vector<std::string_view> names;
  for (const DTypeInfo& type : dtype_table)
    if (type.kind == kind) names.push_back(type.name);
  return names;
}

std::vector<std::string_view> dtype_names() {
  std::vector<std::string_view> names;
  for (const DTypeInfo& type : dtype_table) names.push_back(type.name);
  return names;
}

}  // namespace tessera
