#include "kernels/grouped_gemm/types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/data/dtype_info.h"
#include "core/report/try.h"

namespace tessera {
namespace {

template <typename Takes>
std::vector<std::string_view> names_of_types(const Takes& takes) {
  std::vector<std::string_view> names;
  for (int i = 0; i < dtype_count; ++i)
    if (takes(static_cast<DType>(i)))
      names.push_back(dtype_table[static_cast<std::size_t>(i)].name);
  return names;
}

// Returns "a, b and c", or with another word `last` before the last name.
std::string listed(const std::vector<std::string_view>& names, std::string_view last) {
  return fmt::format("{} {} {}", fmt::join(names.begin(), names.end() - 1, ", "), last,
                     names.back());
}

}  // namespace

bool is_quantised(DType dtype) { return dtype == DType::e4m3 || dtype == DType::e5m2; }

bool is_grouped_gemm_operand(DType dtype) {
  return dtype_info(dtype).kind == DTypeKind::real || is_quantised(dtype);
}

std::vector<std::string_view> quantised_names() { return names_of_types(is_quantised); }

std::vector<std::string_view> grouped_gemm_operand_names() {
  return names_of_types(is_grouped_gemm_operand);
}

std::string quantised_text() { return listed(quantised_names(), "or"); }

Expected<void> check_quantised_pair(DType lhs, DType rhs) {
  if (lhs != DType::e5m2 || rhs != DType::e5m2) return {};
  return error("FP8 GEMM does not support E5M2 * E5M2");
}

Expected<void> check_operand_types(DType lhs, DType rhs) {
  TRY(check_quantised_pair(lhs, rhs));
  for (const DType type : {lhs, rhs})
    if (!is_grouped_gemm_operand(type))
      return error(ErrorCode::invalid_type,
                   fmt::format("grouped_gemm multiplies {}, not {}",
                               listed(grouped_gemm_operand_names(), "and"), name(type)));
  return {};
}

}  // namespace tessera
