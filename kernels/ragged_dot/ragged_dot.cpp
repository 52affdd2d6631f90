#include "kernels/ragged_dot/ragged_dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "devices/interpreter/interpreter_device.h"
#include "kernels/grouped_matmul/run.h"
#include "kernels/grouped_matmul/settings.h"
#include "kernels/launch/axes.h"
#include "kernels/launch/config_request.h"
#include "kernels/launch/operand_type.h"
#include "kernels/programs/kernels.h"
#include "kernels/ragged_dot/validate.h"
#include "kernels/tuning/grouped_choice.h"

namespace tessera {
namespace {

GroupedMatmulOptions plain_options(const RaggedCall& call, const RaggedDotOptions& options) {
  GroupedMatmulOptions plain;
  plain.out_dtype = call.product.out;
  plain.tiling = options.tiling;
  plain.input_buffer_count = options.input_buffer_count;
  plain.precision = options.precision;
  plain.device = options.device;
  plain.run = options.run;
  return plain;
}

// Returns `tensor` with its axes permuted and merged to `shape`; no copy if this changes nothing.
const Tensor& arranged(const Tensor& tensor, const std::vector<std::int64_t>& order,
                       const Shape& shape, Tensor& storage) {
  const bool in_order = std::is_sorted(order.begin(), order.end());
  if (in_order && tensor.shape() == shape) return tensor;
  storage = reshaped(in_order ? tensor.clone() : permuted(tensor, order), shape);
  return storage;
}

struct Call {
  const Tensor &lhs, &rhs;
  const RaggedCall& call;
  const RaggedDotOptions& options;
};

// Runs a call with one batch entry and one outer index: gmm or tgmm.
Expected<GroupedMatmulRun> run_single(const Call& c) {
  const RaggedCall& call = c.call;
  const GroupedDesc& product = call.product;
  const bool rows = !product.is_tgmm();
  GroupedMatmulOptions plain = plain_options(call, c.options);
  plain.window.offset = product.group_offset;
  Tensor lhs_storage, rhs_storage;
  const Tensor& lhs = arranged(c.lhs, call.lhs_order, {product.m, product.k}, lhs_storage);
  const Tensor group_sizes = i32_tensor(product.sizes);
  if (rows) {
    plain.transpose_rhs = product.transpose_rhs;
    const Tensor& rhs =
        arranged(c.rhs, call.rhs_order,
                 {product.local_groups, call.rhs_shape[2], call.rhs_shape[3]}, rhs_storage);
    return run_grouped_matmul(lhs, rhs, group_sizes, plain);
  }
  plain.num_actual_groups = product.local_groups;
  plain.lhs_layout = GroupedMatmulOptions::LhsLayout::mk;
  const Tensor& rhs = arranged(c.rhs, call.rhs_order, {product.m, product.n}, rhs_storage);
  return run_transposed_grouped_matmul(lhs, rhs, group_sizes, plain);
}

// Computes the dot product of a batch as a grouped matmul with groups of equal size.
Expected<GroupedMatmulRun> run_batch(const Call& c) {
  const RaggedCall& call = c.call;
  const GroupedDesc& product = call.product;
  Tensor lhs_storage, rhs_storage;
  const Tensor& lhs =
      arranged(c.lhs, call.lhs_order, {call.batch * product.m, product.k}, lhs_storage);
  const Tensor& rhs = arranged(c.rhs, call.rhs_order, call.rhs_shape, rhs_storage);
  const std::vector<std::int64_t> sizes(static_cast<std::size_t>(call.batch), product.m);
  return run_grouped_matmul(lhs, rhs, i32_tensor(sizes), plain_options(call, c.options));
}

// Returns the parameters of ragged_rows and ragged_contraction, except the tiles.
Settings settings_of(const RaggedCall& call) {
  const GroupedDesc& product = call.product;
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  return {{"T", std::string(name(product.lhs))},
          {"U", std::string(name(product.out))},
          {"batch", text(call.batch)},
          {"outer", text(call.outer)},
          {"inner", text(call.inner)},
          {"m", text(product.m)},
          {"k", text(product.k)},
          {"n", text(product.n)},
          {"groups", text(product.groups())},
          {"local_groups", text(product.local_groups)},
          {"group_offset", text(product.group_offset)}};
}

// Computes all batch entries and outer indices in one program.
Expected<GroupedMatmulRun> run_many(const Call& c) {
  const RaggedCall& call = c.call;
  const GroupedDesc& product = call.product;
  const bool rows = call.mode == RaggedMode::NonContracting;
  const char* const kernel = rows ? "ragged_rows" : "ragged_contraction";
  const Device& device = *TRY(choose_device(c.options.device, reference_device));
  const auto program_of = [&](const KernelConfig& config) {
    Settings settings = settings_of(call);
    set_config(settings, config);
    return make_kernel(kernel, settings);
  };
  const KernelConfig config =
      TRY(choose_config(
              question_of(device, {product, program_of}, c.options.run, config_request(c.options))))
          .config.kernel;
  const Tiling& tiling = config.tiling;
  GroupedMatmulRun result;
  result.tiling = tiling;
  result.kernel = fmt::format("{}_{}x{}x{}", kernel, tiling.m, tiling.k, tiling.n);
  Tensor lhs_storage, rhs_storage, lhs_typed, rhs_typed;
  const auto operand = [&](const Tensor& tensor, const char* what, Tensor& storage) {
    if (tensor.dtype() == product.lhs) return input(tensor);
    result.notes.push_back(fmt::format("{} was converted from {} to {}, which holds it exactly",
                                       what, name(tensor.dtype()), name(product.lhs)));
    storage = converted(tensor, product.lhs);
    return input(storage);
  };
  const Tensor sizes =
      reshaped(i32_tensor(call.group_sizes), {call.batch * call.outer, product.groups()});
  DeviceBinding binding{
      {"lhs",
       operand(arranged(c.lhs, call.lhs_order, call.lhs_shape, lhs_storage), "lhs", lhs_typed)},
      {"rhs",
       operand(arranged(c.rhs, call.rhs_order, call.rhs_shape, rhs_storage), "rhs", rhs_typed)},
      {"group_sizes", input(sizes)}};
  const Program program = TRY(program_of(config));
  for (const Buffer& buffer : program.buffers)
    if (buffer.role == Role::out) result.result_place = program.loc(buffer.place);
  const std::unique_ptr<Executable> executable =
      TRY(prepared(device, program, {.hints = config.hints, .may_ignore_hints = true}));
  result.out = unwritten(product.out, call.flat_shape, c.options.run);
  TRY(run_prepared(device, *executable, std::move(binding), c.options.precision, c.options.run,
                   result));
  return result;
}

GroupedMatmulRun run_on_reference(const Call& c) {
  GroupedMatmulRun result;
  result.device = reference_device;
  result.kernel = "ragged_dot";
  const RaggedProblem problem = ragged_problem(c.lhs, c.rhs, c.call);
  const auto begin = std::chrono::steady_clock::now();
  result.out = reference_ragged_dot(problem, c.call.product.out);
  result.report.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace

Expected<GroupedMatmulRun> run_ragged_dot(const Tensor& lhs, const Tensor& rhs,
                                          const Tensor& group_sizes, const RaggedDotDims& dims,
                                          const RaggedDotOptions& options) try {
  const Expected<RaggedCall> call = validate_ragged_dot(lhs, rhs, group_sizes, dims, options);
  if (!call) return call.diags();
  if (options.device == reference_device) TRY(refuse_config(config_request(options)));
  const Call c{lhs, rhs, *call, options};
  if (elements(call->out_shape) == 0) {
    GroupedMatmulRun nothing;
    nothing.device = options.device == reference_device
                         ? reference_device
                         : TRY(choose_device(options.device, reference_device))->name();
    nothing.kernel = "ragged_dot";
    nothing.notes.emplace_back("the result has no elements: nothing ran");
    nothing.out = Tensor(call->product.out, call->out_shape);
    return nothing;
  }
  Expected<GroupedMatmulRun> run = options.device == reference_device ? run_on_reference(c)
                                   : call->mode == RaggedMode::Batch  ? run_batch(c)
                                   : call->is_single()                ? run_single(c)
                                                                      : run_many(c);
  if (!run) return run;
  run->out = reshaped(std::move(run->out), call->out_shape);
  return run;
} catch (...) {
  return given_up("multiplying ragged operands");
}

Expected<Tensor> ragged_dot_general(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                    const RaggedDotDims& dims, const RaggedDotOptions& options) {
  Expected<GroupedMatmulRun> run = run_ragged_dot(lhs, rhs, group_sizes, dims, options);
  if (!run) return run.diags();
  if (Diags diags = faults(run->report); !diags.empty()) return diags;
  return std::move(run->out);
}

Expected<Tensor> ragged_dot(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                            const RaggedDotOptions& options) {
  return ragged_dot_general(lhs, rhs, group_sizes, {{1}, {1}, {}, {}, {0}, {0}}, options);
}

Verdict check_ragged_dot(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                         const RaggedDotDims& dims, const RaggedDotOptions& options,
                         const Tensor& out, const CheckOptions& how) {
  const Expected<RaggedCall> call = validate_ragged_dot(lhs, rhs, group_sizes, dims, options);
  if (!call) return unjudged(call.diags());
  if (auto wrong = misshapen(out, call->out_shape)) return *wrong;
  const RaggedProblem problem = ragged_problem(lhs, rhs, *call);
  const Arithmetic arithmetic =
      Arithmetic::of(lhs.dtype(), rhs.dtype(), call->product.out, how.values);
  // If the last axis of the result is n, `out` is compared unchanged, so that reports have the
  // places of the result.
  const bool as_is = !call->out_shape.empty() && call->out_shape.back() == call->product.n;
  const Tensor flat = as_is ? Tensor() : reshaped(out.clone(), call->flat_shape);
  Judge judge(as_is ? out : flat, arithmetic);
  const std::vector<std::int64_t> rows =
      checked_rows(out.elements() == 0 ? 0 : out.elements() / call->product.n, problem.edges(),
                   how.check, how.seed);
  reference_ragged_dot(problem, rows, arithmetic.exact ? Magnitude::none : Magnitude::wanted,
                       [&](const ReferenceBlock& block) { judge.see(block); });
  return judge.verdict();
}

}  // namespace tessera
