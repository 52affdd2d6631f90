#include "kernels/launch/operand_type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/data/convert.h"
#include "core/data/dtype_info.h"

namespace tessera {
namespace {

// fp8 types and i8 are exact in bf16 and in f16.
bool is_small(DType dtype) { return is_fp8(dtype) || dtype == DType::i8; }
bool is_kernel_float(DType dtype) { return dtype_info(dtype).kind == DTypeKind::real; }

}  // namespace

std::optional<DType> common_operand(DType a, DType b) {
  if (!(is_small(a) || is_kernel_float(a)) || !(is_small(b) || is_kernel_float(b)))
    return std::nullopt;
  if (a == b && !(is_small(a) && is_float(a))) return a;
  if (is_small(a)) return is_small(b) ? DType::bf16 : b;
  if (is_small(b)) return a;
  return DType::f32;
}

std::vector<std::string_view> operand_type_names() {
  std::vector<std::string_view> names;
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (common_operand(dtype, dtype)) names.push_back(name(dtype));
  }
  return names;
}

std::string operand_types_text() {
  const std::vector<std::string_view> names = operand_type_names();
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

Tensor converted(const Tensor& tensor, DType dtype) {
  Tensor result = Tensor::uninitialised(dtype, tensor.shape());
  convert(tensor.data(), tensor.dtype(), result.data(), dtype, tensor.elements());
  return result;
}

}  // namespace tessera
