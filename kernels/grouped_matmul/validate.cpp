#include "kernels/grouped_matmul/validate.h"

#include <fmt/format.h>

#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "devices/devices.h"
#include "kernels/launch/launch_tuning.h"
#include "kernels/launch/operand_type.h"

namespace tessera {
namespace {

using Problem = std::optional<Diag>;

Diag bad(std::string text) { return error(std::move(text)); }

Problem rank(const char* name, const Tensor& tensor, int wanted) {
  if (tensor.rank() == wanted) return {};
  return bad(
      fmt::format("Expected {}-tensor for '{}' but got {}-tensor.", wanted, name, tensor.rank()));
}

Problem sizes_type(const Tensor& sizes) {
  if (Problem problem = rank("group_sizes", sizes, 1)) return problem;
  const DType dtype = sizes.dtype();
  if (dtype == DType::i32 || dtype == DType::u32 || dtype == DType::i64) return {};
  return bad(fmt::format("Expected 32-bit integer 'group_sizes' but got {}.", name(dtype)));
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

// Sizes of the groups whose rows lhs holds: no entry is negative, and their sum is at most m, or m.
Problem sizes_sum(const GroupedCall& call, const GroupedMatmulOptions& options) {
  const bool local = options.window.rows == GroupWindow::Local;
  const std::int64_t first = local ? options.window.offset : 0;
  const std::int64_t end = local ? first + call.local_groups : call.groups();
  std::int64_t sum = 0;
  for (std::int64_t g = 0; g < call.groups(); ++g) {
    const std::int64_t size = call.group_sizes[static_cast<std::size_t>(g)];
    if (size < 0) return bad(fmt::format("group_sizes[{}] = {} is negative", g, size));
    if (g < first || g >= end) continue;
    if (size > call.m - sum) {
      return bad(fmt::format("the group sizes up to group {} sum to more than m = {}", g, call.m));
    }
    sum += size;
  }
  if (options.strict_sum && sum != call.m) {
    return bad(fmt::format("the group sizes sum to {}, not to m = {}", sum, call.m));
  }
  return {};
}

// `whose`: the groups that the call processes.
Problem window(const GroupedCall& call, const GroupedMatmulOptions& options, const char* whose) {
  const std::int64_t offset = options.window.offset, groups = call.groups();
  if (offset < 0) return bad(fmt::format("group_offset must be at least 0, got {}", offset));
  if (offset >= groups) {
    return bad(
        fmt::format("group_offset {} is not among the {} groups of group_sizes", offset, groups));
  }
  if (call.local_groups < 1) {
    return bad(fmt::format("there must be at least one of {}, got {}", whose, call.local_groups));
  }
  if (call.local_groups <= groups - offset) return {};
  return bad(fmt::format("group_offset {} and {} of {} exceed the {} groups of group_sizes", offset,
                         call.local_groups, whose, groups));
}

Problem types(const char* kernel, GroupedCall& call, const Tensor& lhs, const Tensor& rhs,
              DType out) {
  const auto operand = common_operand(lhs.dtype(), rhs.dtype());
  if (!operand) {
    return error(ErrorCode::invalid_type,
                 fmt::format("{} multiplies f32, bf16, f16, e4m3, e5m2 and i8, not {} and {}",
                             kernel, name(lhs.dtype()), name(rhs.dtype())));
  }
  call.operand = *operand;
  if (out != DType::f32 && out != DType::bf16 && out != DType::f16 && out != DType::i32) {
    return error(ErrorCode::unsupported,
                 fmt::format("{} stores f32, bf16, f16 or i32, not {}", kernel, name(out)));
  }
  if (out == DType::i32 && is_float(call.operand)) {
    return error(ErrorCode::unsupported,
                 fmt::format("an i32 result needs i8 operands, got {} and {}", name(lhs.dtype()),
                             name(rhs.dtype())));
  }
  return {};
}

Problem existing(const GroupedMatmulOptions& options, const Shape& shape) {
  if (!options.existing_out) return {};
  if (options.existing_out->dtype() != options.out_dtype) {
    return bad("Existing output dtype must match preferred_element_type.");
  }
  if (options.existing_out->shape() == shape) return {};
  return bad(fmt::format("existing_out has shape {}, the result has {}",
                         to_string(options.existing_out->shape()), to_string(shape)));
}

// The kernel has one type for both operands; whether it takes them so is seen when it is made.
void keep_narrow(GroupedCall& call, const Tensor& lhs, const Tensor& rhs,
                 const GroupedMatmulOptions& options) {
  if (runs_on_cuda(options.device) && lhs.dtype() == rhs.dtype() &&
      stays_fp8({lhs.dtype(), rhs.dtype(), options.transpose_rhs, call.k,
                 options.precision == Precision::Default}))
    call.operand = lhs.dtype();
}

cuda::GroupedShape shape_of(const GroupedCall& call, bool is_tgmm, DType out) {
  cuda::GroupedShape shape;
  shape.is_tgmm = is_tgmm;
  shape.m = call.m;
  shape.k = call.k;
  shape.n = call.n;
  shape.sizes = call.group_sizes;
  shape.out_bytes = static_cast<int>(size_of(out));
  shape.operand_bytes = is_tgmm ? 2 : static_cast<int>(size_of(call.operand));
  return shape;
}

Problem misplaced_hints(const GroupedMatmulOptions& options) {
  if (options.hints == MachineHints{}) return {};
  if (!runs_on_cuda(options.device)) {
    return error(ErrorCode::unsupported,
                 fmt::format("hints ({}) are of the CUDA kernels, and this runs on {}",
                             hints_text(options.hints),
                             options.device.empty() ? default_device().name() : options.device));
  }
  if (!std::holds_alternative<std::monostate>(options.tiling)) return {};
  return bad(
      fmt::format("hints ({}) go with a tiling, and none is given", hints_text(options.hints)));
}

Problem tuning(GroupedCall& call, const GroupedMatmulOptions& options, bool is_tgmm) {
  if (Problem idle = idle_tuning(options.device, options.tiling, options.input_buffer_count))
    return idle;
  if (options.device == reference_device && (options.align || options.program != nullptr)) {
    return error(ErrorCode::unsupported,
                 fmt::format("{} is of a kernel, and the reference has none",
                             options.align ? "align" : "a program"));
  }
  call.buffers = options.input_buffer_count;
  call.align = options.align;
  if (std::holds_alternative<std::monostate>(options.tiling) && runs_on_cuda(options.device)) {
    const LaunchTuning on_cuda =
        modelled_tuning(shape_of(call, is_tgmm, options.out_dtype), call.buffers);
    call.tiling = on_cuda.tiling;
    call.hints = on_cuda.hints;
    call.buffers = on_cuda.buffers;
    if (!call.align) call.align = on_cuda.align;
  } else {
    const Expected<Tiling> tiling =
        chosen_tiling(options.tiling, call.m, call.k, call.n, options.run);
    if (!tiling) return tiling.diags().front();
    call.tiling = *tiling;
    call.hints = options.hints;
  }
  if (Problem problem = misplaced_hints(options)) return problem;
  if (options.input_buffer_count < 1) {
    return bad(
        fmt::format("input_buffer_count must be at least 1, got {}", options.input_buffer_count));
  }
  if (options.align && *options.align < 1)
    return bad(fmt::format("align must be at least 1, got {}", *options.align));
  return {};
}

Problem agree(const char* what, std::int64_t a, std::int64_t b) {
  if (a == b) return {};
  return bad(fmt::format("lhs has {} = {} but rhs has {} = {}", what, a, what, b));
}

// The first problem of the list; later steps may rely on earlier ones.
template <typename... Steps>
Problem first_of(Steps... steps) {
  Problem problem;
  ((problem = steps()) || ...);
  return problem;
}

}  // namespace

Expected<GroupedCall> validate_gmm(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                   const GroupedMatmulOptions& options) {
  GroupedCall call;
  const Problem problem =
      first_of([&] { return rank("lhs", lhs, 2); }, [&] { return rank("rhs", rhs, 3); },
               [&] { return sizes_type(group_sizes); },
               [&] { return types("gmm", call, lhs, rhs, options.out_dtype); },
               [&] { return agree("k", lhs.dim(1), rhs.dim(options.transpose_rhs ? 2 : 1)); },
               [&]() -> Problem {
                 if (options.num_actual_groups)
                   return bad("num_actual_groups is for tgmm; gmm runs the groups of rhs");
                 if (options.lhs_layout != GroupedMatmulOptions::LhsLayout::km)
                   return bad("lhs_layout is for tgmm; gmm takes lhs as [m, k]");
                 return {};
               },
               [&] {
                 call.m = lhs.dim(0);
                 call.k = lhs.dim(1);
                 call.n = rhs.dim(options.transpose_rhs ? 1 : 2);
                 call.group_sizes = wide(group_sizes);
                 call.local_groups = rhs.dim(0);
                 keep_narrow(call, lhs, rhs, options);
                 return window(call, options, "rhs's groups");
               },
               [&] { return sizes_sum(call, options); },
               [&] {
                 return existing(options, {call.m, call.n});
               },
               [&] {
                 constexpr bool is_tgmm = false;
                 return tuning(call, options, is_tgmm);
               });
  if (problem) return *problem;
  return call;
}

GroupedCall in_bf16(GroupedCall call, const GroupedMatmulOptions& options) {
  call.operand = DType::bf16;
  if (!std::holds_alternative<std::monostate>(options.tiling)) return call;
  const LaunchTuning tuned =
      modelled_tuning(shape_of(call, false, options.out_dtype), options.input_buffer_count);
  call.tiling = tuned.tiling;
  call.buffers = tuned.buffers;
  call.align = options.align ? options.align : tuned.align;
  call.hints = tuned.hints;
  return call;
}

Expected<GroupedCall> validate_tgmm(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                    const GroupedMatmulOptions& options) {
  GroupedCall call;
  const bool stored = options.lhs_layout == GroupedMatmulOptions::LhsLayout::mk;
  const Problem problem =
      first_of([&] { return rank("lhs", lhs, 2); }, [&] { return rank("rhs", rhs, 2); },
               [&] { return sizes_type(group_sizes); },
               [&] { return types("tgmm", call, lhs, rhs, options.out_dtype); },
               [&] { return agree("m", lhs.dim(stored ? 0 : 1), rhs.dim(0)); },
               [&]() -> Problem {
                 if (options.transpose_rhs)
                   return bad("transpose_rhs is for gmm; tgmm takes rhs as [m, n]");
                 if (options.align)
                   return bad("align is for gmm; tgmm's tiles start at multiples of the tile's m");
                 return {};
               },
               [&] {
                 call.m = rhs.dim(0);
                 call.k = lhs.dim(stored ? 1 : 0);
                 call.n = rhs.dim(1);
                 call.group_sizes = wide(group_sizes);
                 call.local_groups =
                     options.num_actual_groups.value_or(call.groups() - options.window.offset);
                 return window(call, options, "num_actual_groups");
               },
               [&] { return sizes_sum(call, options); },
               [&] {
                 return existing(options, {call.local_groups, call.k, call.n});
               },
               [&] { return tuning(call, options, true); });
  if (problem) return *problem;
  return call;
}

}  // namespace tessera
