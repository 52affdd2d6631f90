#include "kernels/grouped_gemm/grouped_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/data/convert.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "devices/interpreter/interpreter_device.h"
#include "kernels/grouped_gemm/settings.h"
#include "kernels/grouped_gemm/validate.h"
#include "kernels/grouped_matmul/run.h"
#include "kernels/grouped_matmul/settings.h"
#include "kernels/launch/axes.h"
#include "kernels/launch/choose.h"
#include "kernels/launch/operand_type.h"

namespace tessera {
namespace {

constexpr const char* enforce_variable = "NVTE_JAX_ENFORCE_V2_GROUPED_GEMM";

Tensor f32_tensor(std::span<const float> values) {
  Tensor tensor(DType::f32, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.as<float>());
  return tensor;
}

// The one kernel works on groups that are rows of one matrix.
Support v2_support(const GroupedGemmCall& call) {
  for (const auto& [tensor, whose] : {std::pair{&call.lhs, "lhs"}, std::pair{&call.rhs, "rhs"}})
    if (GroupedTensor::ragged(tensor->last_dims))
      return {false, fmt::format("{} is ragged in its last dims: its groups are matrices of "
                                 "different row lengths, not rows of one matrix",
                                 whose)};
  return {};
}

// The scales of all groups as one matrix beside the operand's: [left, right / 32] or [left / 32,
// right].
Tensor all_scales(const GroupedTensor& tensor, const GroupedMatrix& matrix, MxAlong along,
                  Shape shape) {
  Tensor all(DType::e8m0, std::move(shape));
  std::byte* to = all.data();
  for (std::size_t g = 0; g < matrix.groups.size(); ++g) {
    const Tensor own = group_scales(tensor, matrix, g, along);
    if (own.bytes() > 0) std::memcpy(to, own.data(), static_cast<std::size_t>(own.bytes()));
    to += own.bytes();
  }
  return all;
}

// A product of `sizes` with the call's options.
GroupedDesc product_of(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                       GroupedKind kind, std::vector<std::int64_t> sizes) {
  GroupedDesc product;
  product.kind = kind;
  product.n = call.columns;
  product.sizes = std::move(sizes);
  product.local_groups = product.groups();
  product.out = call.out;
  product.precision = options.precision;
  return product;
}

// What one launch of a kernel multiplies.
struct Operands {
  GroupedDesc product;  // but for the types
  const Tensor *lhs, *rhs;
  const Tensor *lhs_scale = nullptr, *rhs_scale = nullptr;  // MXFP8
  std::span<const float> factor, beta;
  const Tensor* c = nullptr;
  const Tensor* bias = nullptr;
  Shape out_shape;

  GroupedGemmDesc desc() const {
    GroupedGemmDesc desc{product, c != nullptr, {}, lhs_scale != nullptr};
    if (bias) desc.bias = bias->dtype();
    desc.product.lhs = lhs->dtype();
    desc.product.rhs = rhs->dtype();
    return desc;
  }
};

// e4m3 and e5m2 in bf16, which holds them exactly, where the device has nothing for them as they
// are.
Operands widened(const Device& device, Operands what, Tensor& lhs, Tensor& rhs,
                 std::vector<std::string>& notes) {
  if (what.lhs_scale || size_of(what.lhs->dtype()) > 1 ||
      device.fp8_products(what.desc().product) != Fp8Products::widened)
    return what;
  const auto widen = [&](const Tensor*& operand, Tensor& storage, const char* whose) {
    notes.push_back(fmt::format("{} was converted from {} to bf16, which holds it exactly", whose,
                                name(operand->dtype())));
    storage = converted(*operand, DType::bf16);
    operand = &storage;
  };
  widen(what.lhs, lhs, "lhs");
  widen(what.rhs, rhs, "rhs");
  return what;
}

Expected<void> launch(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                      const Operands& given, GroupedGemmRun& result) {
  const Device& device = *TRY(choose_device(options.device, reference_device));
  Tensor lhs_storage, rhs_storage;
  const Operands what = widened(device, given, lhs_storage, rhs_storage, result.notes);
  const GroupedGemmDesc desc = what.desc();
  const KernelConfig config =
      TRY(choose_config(device, desc.product, config_request(options), options.run)).config;
  const Tiling& tiling = config.tiling;
  const bool is_wgrad = desc.product.is_tgmm();
  result.tiling = tiling;
  result.kernel = fmt::format("{}_{}x{}x{}{}", kernel_of(desc), tiling.m, tiling.k, tiling.n,
                              desc.product.transpose_rhs ? "_transpose_rhs" : "");
  if (desc.block_scales && (is_wgrad ? tiling.m : tiling.k) % mx_block != 0) {
    return error(fmt::format("MXFP8 needs a tile of a multiple of {} along the contraction, got {}",
                             mx_block, is_wgrad ? tiling.m : tiling.k));
  }
  const Program program = TRY(grouped_gemm_program(desc, config));
  for (const Buffer& buffer : program.buffers)
    if (buffer.role == Role::out) result.result_place = program.loc(buffer.place);
  const std::unique_ptr<Executable> executable =
      TRY(prepared(device, program, {.hints = config.hints, .may_ignore_hints = true}));
  const Tensor sizes = i32_tensor(desc.product.sizes), alpha = f32_tensor(what.factor),
               beta = f32_tensor(what.beta);
  std::vector<std::int64_t> reads(what.beta.size());
  for (std::size_t g = 0; g < reads.size(); ++g) reads[g] = what.beta[g] != 0 ? 1 : 0;
  const Tensor reads_c = i32_tensor(reads);
  DeviceBinding binding{{"lhs", input(*what.lhs)},
                        {"rhs", input(*what.rhs)},
                        {"group_sizes", input(sizes)},
                        {"alpha", input(alpha)}};
  if (what.lhs_scale) {
    binding["lhs_scale"] = input(*what.lhs_scale);
    binding["rhs_scale"] = input(*what.rhs_scale);
  }
  if (what.c) {
    binding["beta"] = input(beta);
    binding["reads_c"] = input(reads_c);
    binding["c"] = input(*what.c);
  }
  if (what.bias) binding["bias"] = input(*what.bias);
  result.out = unwritten(call.out, what.out_shape, options.run);
  return run_prepared(device, *executable, std::move(binding), options.precision, options.run,
                      result);
}

// `tensor` with that shape: itself where it has it.
const Tensor& shaped(const Tensor& tensor, const Shape& shape, Tensor& storage) {
  if (tensor.shape() == shape) return tensor;
  storage = reshaped(tensor.clone(), shape);
  return storage;
}

// All groups in one kernel.
Expected<void> run_v2(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                      GroupedGemmRun& result) {
  const std::int64_t groups = call.groups, left = call.left.left, right = call.left.right;
  const bool is_wgrad = call.ragged_contraction;
  Operands what{};
  GroupedDesc& product = what.product;
  product = product_of(call, options, is_wgrad ? GroupedKind::tgmm : GroupedKind::gmm, call.sizes);
  product.transpose_rhs = !is_wgrad && call.rhs_is_trans;
  product.m = left;
  product.k = right;
  what.factor = call.factor;
  what.beta = call.beta;
  const Shape rhs_shape = is_wgrad                ? Shape{call.right.left, call.right.right}
                          : product.transpose_rhs ? Shape{groups, product.n, product.k}
                                                  : Shape{groups, product.k, product.n};
  what.out_shape = is_wgrad ? Shape{groups, product.k, product.n} : Shape{product.m, product.n};
  Tensor lhs, rhs, c, lhs_scale, rhs_scale;
  what.lhs = &shaped(*call.lhs.data, {left, right}, lhs);
  what.rhs = &shaped(*call.rhs.data, rhs_shape, rhs);
  if (call.is_mx()) {
    const auto scale_shape = [](Shape shape, bool last) {
      shape[shape.size() - (last ? 1 : 2)] /= mx_block;
      return shape;
    };
    lhs_scale = all_scales(call.lhs, call.left, call.lhs_along(),
                           scale_shape({left, right}, !call.lhs_is_trans));
    rhs_scale = all_scales(call.rhs, call.right, call.rhs_along(),
                           scale_shape(rhs_shape, call.rhs_is_trans));
    what.lhs_scale = &lhs_scale;
    what.rhs_scale = &rhs_scale;
  }
  if (call.reads_c) what.c = &shaped(*options.c, what.out_shape, c);
  what.bias = options.bias;
  return launch(call, options, what, result);
}

// A group's matrix by itself, transposed where it is asked for.
Tensor matrix_of(const Tensor& data, const GroupedMatrix::Group& group, bool turned) {
  Tensor part = Tensor::uninitialised(data.dtype(), {group.left, group.right});
  if (part.bytes() > 0)
    std::memcpy(part.data(), data.data() + group.offset * size_of(data.dtype()),
                static_cast<std::size_t>(part.bytes()));
  const std::int64_t swap[] = {1, 0};
  return turned ? permuted(part, swap) : std::move(part);
}

Tensor rows_of(const Tensor& tensor, std::int64_t first, std::int64_t rows, std::int64_t columns) {
  Tensor part = Tensor::uninitialised(tensor.dtype(), {rows, columns});
  if (part.bytes() > 0)
    std::memcpy(part.data(), tensor.data() + first * columns * size_of(tensor.dtype()),
                static_cast<std::size_t>(part.bytes()));
  return part;
}

// Group after group; what a group has no rows for stays zero.
Expected<void> run_v1(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                      GroupedGemmRun& result) {
  Tensor out(call.out, {call.rows, call.columns});
  const std::int64_t row_bytes = call.columns * size_of(call.out);
  double seconds = 0;
  for (std::size_t g = 0; g < call.sizes.size(); ++g) {
    const std::int64_t rows = call.group_rows(g);
    if (rows * call.columns == 0) continue;
    const Tensor a = matrix_of(*call.lhs.data, call.left.groups[g], call.lhs_is_trans);
    const Tensor b = reshaped(matrix_of(*call.rhs.data, call.right.groups[g], call.rhs_is_trans),
                              {1, call.contracted(g), call.columns});
    Operands what{};
    what.product = product_of(call, options, GroupedKind::gmm, {rows});
    what.product.m = rows;
    what.product.k = call.contracted(g);
    what.lhs = &a;
    what.rhs = &b;
    what.factor = std::span(call.factor).subspan(g, 1);
    what.beta = std::span(call.beta).subspan(g, 1);
    what.out_shape = {rows, call.columns};
    const std::int64_t swap[] = {1, 0};
    Tensor lhs_scale, rhs_scale, c, bias;
    if (call.is_mx()) {
      lhs_scale = group_scales(call.lhs, call.left, g, call.lhs_along());
      rhs_scale = group_scales(call.rhs, call.right, g, call.rhs_along());
      if (call.lhs_is_trans) lhs_scale = permuted(lhs_scale, swap);
      if (call.rhs_is_trans) rhs_scale = permuted(rhs_scale, swap);
      rhs_scale = reshaped(std::move(rhs_scale), {1, call.contracted(g) / mx_block, call.columns});
      what.lhs_scale = &lhs_scale;
      what.rhs_scale = &rhs_scale;
    }
    if (call.beta[g] != 0) {
      c = rows_of(*options.c, call.first_row(g), rows, call.columns);
      what.c = &c;
    }
    if (options.bias) {
      bias = rows_of(*options.bias, static_cast<std::int64_t>(g), 1, call.columns);
      what.bias = &bias;
    }
    result.notes.clear();
    TRY(launch(call, options, what, result));
    seconds += result.report.wall_seconds;
    if (!faults(result.report).empty()) break;
    std::memcpy(out.data() + call.first_row(g) * row_bytes, result.out.data(),
                static_cast<std::size_t>(rows * row_bytes));
  }
  result.report.wall_seconds = seconds;
  result.notes.emplace_back(
      result.report.findings.empty()
          ? "one launch for each group: the time is that of all, counts and proof are the last "
            "one's"
          : "one launch for each group: those after the one that went wrong were not made");
  result.out = std::move(out);
  return {};
}

Expected<bool> enforces_v2() {
  const char* const text = std::getenv(enforce_variable);
  if (!text) return false;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0')
    return error(fmt::format("{} must be an integer (0 or 1), got: {}", enforce_variable, text));
  return value != 0;
}

Diag idle_async() {
  return error("use_async_d2h_group_sizes is for path V1, which this call does not take");
}

Expected<void> run_where_it_belongs(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                                    GroupedGemmRun& result) {
  const Support v2 = v2_support(call);
  if (!v2.ok && TRY(enforces_v2())) {
    return error(ErrorCode::runtime,
                 fmt::format("The TE V2 grouped GEMM is not supported for the given input "
                             "parameters, but {} is enabled. The reason for V2 grouped GEMM not "
                             "being supported: {}",
                             enforce_variable, v2.reason));
  }
  if (!v2.ok && options.path == GroupedGemmPath::V2) {
    return error(ErrorCode::unsupported, fmt::format("the path V2 cannot run this: {}", v2.reason));
  }
  const bool first = options.path == GroupedGemmPath::V1 || !v2.ok;
  if (options.use_async_d2h_group_sizes && !first) return idle_async();
  constexpr std::int64_t most_fetched = 1024;
  if (options.use_async_d2h_group_sizes && call.groups > most_fetched) {
    return error(
        fmt::format("num_gemms {} exceeds the maximum supported number {} to be "
                    "downloaded in advance.",
                    call.groups, most_fetched));
  }
  result.path = first ? GroupedGemmPath::V1 : GroupedGemmPath::V2;
  result.why_not_v2 = v2.reason;
  return first ? run_v1(call, options, result) : run_v2(call, options, result);
}

void run_on_reference(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                      GroupedGemmRun& result) {
  Tensor lhs, rhs;
  const GroupedGemmProblem problem = grouped_gemm_problem(
      call, options, multiplied(call, call.lhs, call.lhs_boundary, call.lhs_along(), lhs),
      multiplied(call, call.rhs, call.rhs_boundary, call.rhs_along(), rhs));
  const auto begin = std::chrono::steady_clock::now();
  result.device = reference_device;
  result.kernel = "grouped_gemm";
  result.out = reference_grouped_gemm(problem, call.out);
  result.report.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Expected<GroupedGemmRun> run_grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                          const GroupedGemmOptions& options) try {
  const Expected<GroupedGemmCall> call = validate_grouped_gemm(lhs, rhs, options);
  if (!call) return call.diags();
  if (options.device == reference_device) TRY(refuse_config(config_request(options)));
  if (options.device == reference_device && options.use_async_d2h_group_sizes) return idle_async();
  GroupedGemmRun result;
  result.out_first_dims = call->out_first_dims;
  result.out_last_dims = call->out_last_dims;
  if (options.device == reference_device) {
    run_on_reference(*call, options, result);
  } else if (elements(call->out_shape) == 0) {
    const Expected<const Device*> device = choose_device(options.device, reference_device);
    if (!device) return device.diags();
    result.device = (*device)->name();
    result.kernel = "grouped_gemm";
    result.notes.emplace_back("the result has no elements: nothing ran");
    result.out = Tensor(call->out, call->out_shape);
  } else {
    TRY(run_where_it_belongs(*call, options, result));
  }
  result.out = reshaped(std::move(result.out), call->out_shape);
  return result;
} catch (...) {
  return given_up("multiplying groups");
}

Expected<Tensor> grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                              const GroupedGemmOptions& options) {
  Expected<GroupedGemmRun> run = run_grouped_gemm(lhs, rhs, options);
  if (!run) return run.diags();
  if (Diags diags = faults(run->report); !diags.empty()) return diags;
  return std::move(run->out);
}

Expected<Support> grouped_gemm_v2_support(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                          const GroupedGemmOptions& options) {
  const Expected<GroupedGemmCall> call = validate_grouped_gemm(lhs, rhs, options);
  if (!call) return call.diags();
  return v2_support(*call);
}

Expected<GroupedGemmShape> grouped_gemm_shape(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                              const GroupedGemmOptions& options) {
  const Expected<GroupedGemmCall> call = validate_grouped_gemm(lhs, rhs, options);
  if (!call) return call.diags();
  GroupedGemmShape shape{call->groups, call->columns, call->out_shape,
                         call->out,    call->sizes,   call->flops()};
  for (std::size_t g = 0; g < call->sizes.size(); ++g)
    shape.products += call->group_rows(g) * call->columns > 0 ? 1 : 0;
  return shape;
}

Verdict check_grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                           const GroupedGemmOptions& options, const Tensor& out,
                           const CheckOptions& how) {
  const Expected<GroupedGemmCall> call = validate_grouped_gemm(lhs, rhs, options);
  if (!call) return unjudged(call.diags());
  if (auto wrong = misshapen(out, call->out_shape)) return *wrong;
  Tensor lhs_values, rhs_values;
  const Tensor &a = multiplied(*call, call->lhs, call->lhs_boundary, call->lhs_along(), lhs_values),
               &b = multiplied(*call, call->rhs, call->rhs_boundary, call->rhs_along(), rhs_values);
  const GroupedGemmProblem problem = grouped_gemm_problem(*call, options, a, b);
  Arithmetic arithmetic = Arithmetic::of(a.dtype(), b.dtype(), call->out, how.values);
  arithmetic.wire = how.sum_error;
  const Tensor flat = reshaped(out.clone(), {call->rows, call->columns});
  Judge judge(flat, arithmetic);
  const std::vector<std::int64_t> rows =
      checked_rows(call->columns == 0 ? 0 : call->rows, problem.edges(), how.check, how.seed);
  reference_grouped_gemm(problem, rows, arithmetic.exact ? Magnitude::none : Magnitude::wanted,
                         [&](const ReferenceBlock& block) { judge.see(block); });
  return judge.verdict();
}

}  // namespace tessera
