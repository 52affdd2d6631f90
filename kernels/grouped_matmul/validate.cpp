#include "kernels/grouped_matmul/validate.h"

#include <fmt/format.h>

#include <utility>

#include "core/report/try.h"
#include "kernels/launch/operand_type.h"

namespace tessera {
namespace {

using Layout = GroupedMatmulOptions::LhsLayout;

Expected<void> check_rank(const char* name, const Tensor& tensor, int wanted) {
  if (tensor.rank() == wanted) return {};
  return error(
      fmt::format("Expected {}-tensor for '{}' but got {}-tensor.", wanted, name, tensor.rank()));
}

Expected<void> check_sizes_type(const Tensor& sizes) {
  TRY(check_rank("group_sizes", sizes, 1));
  const DType dtype = sizes.dtype();
  if (dtype == DType::i32 || dtype == DType::u32 || dtype == DType::i64) return {};
  return error(fmt::format("Expected 32-bit integer 'group_sizes' but got {}.", name(dtype)));
}

std::vector<std::int64_t> wide(const Tensor& sizes) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(sizes.elements()));
  for (std::size_t g = 0; g < result.size(); ++g) {
    if (sizes.dtype() == DType::i64) {
      result[g] = sizes.as<std::int64_t>()[g];
    } else if (sizes.dtype() == DType::i32) {
      result[g] = sizes.as<std::int32_t>()[g];
    } else {
      result[g] = sizes.as<std::uint32_t>()[g];
    }
  }
  return result;
}

// Checks the groups that have rows in lhs: sizes must not be negative, and their sum must be at
// most m, or m if `strict`.
Expected<void> check_sum(const GroupedDesc& desc, bool strict) {
  const std::int64_t first = desc.local_rows ? desc.group_offset : 0;
  const std::int64_t end = desc.local_rows ? first + desc.local_groups : desc.groups();
  std::int64_t sum = 0;
  for (std::int64_t g = 0; g < desc.groups(); ++g) {
    const std::int64_t size = desc.sizes[static_cast<std::size_t>(g)];
    if (size < 0) return error(fmt::format("group_sizes[{}] = {} is negative", g, size));
    if (g < first || g >= end) continue;
    if (size > desc.m - sum) {
      return error(
          fmt::format("the group sizes up to group {} sum to more than m = {}", g, desc.m));
    }
    sum += size;
  }
  if (!strict || sum == desc.m) return {};
  return error(fmt::format("the group sizes sum to {}, not to m = {}", sum, desc.m));
}

// whose: description of the processed groups, for messages.
Expected<void> check_window(const GroupedDesc& desc, const char* whose) {
  const std::int64_t offset = desc.group_offset, groups = desc.groups();
  if (offset < 0) return error(fmt::format("group_offset must be at least 0, got {}", offset));
  if (offset >= groups) {
    return error(
        fmt::format("group_offset {} is not among the {} groups of group_sizes", offset, groups));
  }
  if (desc.local_groups < 1) {
    return error(fmt::format("there must be at least one of {}, got {}", whose, desc.local_groups));
  }
  if (desc.local_groups <= groups - offset) return {};
  return error(fmt::format("group_offset {} and {} of {} exceed the {} groups of group_sizes",
                           offset, desc.local_groups, whose, groups));
}

Expected<void> check_types(const char* kernel, DType lhs, DType rhs, DType out) {
  const auto operand = common_operand(lhs, rhs);
  if (!operand) {
    return error(ErrorCode::invalid_type, fmt::format("{} multiplies {}, not {} and {}", kernel,
                                                      operand_types_text(), name(lhs), name(rhs)));
  }
  if (out != DType::f32 && out != DType::bf16 && out != DType::f16 && out != DType::i32) {
    return error(ErrorCode::unsupported,
                 fmt::format("{} stores f32, bf16, f16 or i32, not {}", kernel, name(out)));
  }
  if (out == DType::i32 && is_float(*operand)) {
    return error(ErrorCode::unsupported, fmt::format("an i32 result needs i8 operands, got {} and "
                                                     "{}",
                                                     name(lhs), name(rhs)));
  }
  return {};
}

Expected<void> check_existing(const GroupedMatmulOptions& options, const Shape& shape) {
  if (!options.existing_out) return {};
  if (options.existing_out->dtype() != options.out_dtype)
    return error("Existing output dtype must match preferred_element_type.");
  if (options.existing_out->shape() == shape) return {};
  return error(fmt::format("existing_out has shape {}, the result has {}",
                           to_string(options.existing_out->shape()), to_string(shape)));
}

Expected<void> check_agree(const char* what, std::int64_t lhs, std::int64_t rhs) {
  if (lhs == rhs) return {};
  return error(fmt::format("lhs has {} = {} but rhs has {} = {}", what, lhs, what, rhs));
}

GroupedDesc described(GroupedKind kind, const Tensor& lhs, const Tensor& rhs,
                      const Tensor& group_sizes, const GroupedMatmulOptions& options) {
  GroupedDesc desc;
  desc.kind = kind;
  desc.sizes = wide(group_sizes);
  desc.group_offset = options.window.offset;
  desc.local_rows = options.window.rows == GroupWindow::Local;
  desc.lhs = lhs.dtype();
  desc.rhs = rhs.dtype();
  desc.out = options.out_dtype;
  desc.transpose_rhs = options.transpose_rhs;
  if (options.existing_out) desc.existing = options.existing_mode;
  desc.precision = options.precision;
  return desc;
}

}  // namespace

Expected<GroupedDesc> describe_gmm(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                   const GroupedMatmulOptions& options) {
  TRY(check_rank("lhs", lhs, 2));
  TRY(check_rank("rhs", rhs, 3));
  TRY(check_sizes_type(group_sizes));
  TRY(check_types("gmm", lhs.dtype(), rhs.dtype(), options.out_dtype));
  TRY(check_agree("k", lhs.dim(1), rhs.dim(options.transpose_rhs ? 2 : 1)));
  if (options.num_actual_groups)
    return error("num_actual_groups is for tgmm; gmm runs the groups of rhs");
  if (options.lhs_layout != Layout::km)
    return error("lhs_layout is for tgmm; gmm takes lhs as [m, k]");
  GroupedDesc desc = described(GroupedKind::gmm, lhs, rhs, group_sizes, options);
  desc.m = lhs.dim(0);
  desc.k = lhs.dim(1);
  desc.n = rhs.dim(options.transpose_rhs ? 1 : 2);
  desc.local_groups = rhs.dim(0);
  TRY(check_window(desc, "rhs's groups"));
  TRY(check_sum(desc, options.strict_sum));
  TRY(check_existing(options, {desc.m, desc.n}));
  return desc;
}

Expected<GroupedDesc> describe_tgmm(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                    const GroupedMatmulOptions& options) {
  const bool stored = options.lhs_layout == Layout::mk;
  TRY(check_rank("lhs", lhs, 2));
  TRY(check_rank("rhs", rhs, 2));
  TRY(check_sizes_type(group_sizes));
  TRY(check_types("tgmm", lhs.dtype(), rhs.dtype(), options.out_dtype));
  TRY(check_agree("m", lhs.dim(stored ? 0 : 1), rhs.dim(0)));
  if (options.transpose_rhs) return error("transpose_rhs is for gmm; tgmm takes rhs as [m, n]");
  if (options.align)
    return error("align is for gmm; tgmm's tiles start at multiples of the tile's m");
  GroupedDesc desc = described(GroupedKind::tgmm, lhs, rhs, group_sizes, options);
  desc.m = rhs.dim(0);
  desc.k = lhs.dim(stored ? 1 : 0);
  desc.n = rhs.dim(1);
  desc.local_groups = options.num_actual_groups.value_or(desc.groups() - desc.group_offset);
  TRY(check_window(desc, "num_actual_groups"));
  TRY(check_sum(desc, options.strict_sum));
  TRY(check_existing(options, {desc.local_groups, desc.k, desc.n}));
  return desc;
}

}  // namespace tessera
