#include "kernels/grouped_gemm/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/data/convert.h"
#include "core/report/try.h"
#include "kernels/grouped_matmul/run.h"
#include "kernels/grouped_matmul/settings.h"
#include "kernels/launch/config_request.h"
#include "kernels/launch/launch.h"
#include "kernels/launch/operand_type.h"
#include "kernels/tuning/grouped_choice.h"

namespace tessera {
namespace {

Tensor f32_tensor(std::span<const float> values) {
  Tensor tensor(DType::f32, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.as<float>());
  return tensor;
}

// Converts e4m3 and e5m2 to bf16, which is exact, if the device has no kernel for them.
GroupedGemmOperands widened(const Device& device, GroupedGemmOperands what, Tensor& lhs,
                            Tensor& rhs, std::vector<std::string>& notes) {
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

}  // namespace

Expected<void> launch(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                      const GroupedGemmOperands& given, GroupedGemmRun& result) {
  const Device& device = *TRY(choose_device(options.device, reference_device));
  Tensor lhs_storage, rhs_storage;
  const GroupedGemmOperands what = widened(device, given, lhs_storage, rhs_storage, result.notes);
  const GroupedGemmDesc desc = what.desc();
  const ConfigQuery query{
      desc.product, [&](const KernelConfig& config) { return grouped_gemm_program(desc, config); }};
  const KernelConfig config =
      TRY(choose_config(question_of(device, query, options.run, config_request(options))))
          .config.kernel;
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
  result.out = unwritten(call.product.out, what.out_shape, options.run);
  return run_prepared(device, *executable, std::move(binding), options.precision, options.run,
                      result);
}

}  // namespace tessera
