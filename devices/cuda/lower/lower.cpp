#include "devices/cuda/lower/lower.h"

#include <fmt/format.h>

#include "core/report/try.h"
#include "devices/cuda/lower/config_code.h"
#include "devices/cuda/lower/contraction.h"
#include "devices/cuda/lower/kernel_names.h"
#include "devices/cuda/lower/loop_order.h"
#include "devices/cuda/lower/pipeline_place.h"
#include "devices/cuda/lower/source_template.h"
#include "devices/cuda/lower/tile_config.h"
#include "devices/cuda/lower/tile_functions.h"
#include "devices/cuda/lower/wgmma_code.h"

namespace tessera::cuda {
namespace {

// Tensor map of a buffer, with boxes of one element.
MapPlan map_plan(const Program& program, const Buffer& buffer, const std::vector<int>& dims) {
  MapPlan plan;
  plan.buffer = program.buffers.id_of(buffer);
  plan.element_bytes = size_of(buffer.dtype);
  for (const int d : dims) plan.extent.push_back(buffer.shape[static_cast<std::size_t>(d)]);
  plan.box.assign(dims.size(), 1);
  return plan;
}

// Boxes have rows of `row_bytes`. Their height is `rows` if the operand is contiguous along k, else
// the tile's size along k.
MapPlan operand_plan(const Program& program, const TileConfig& config, const OperandConfig& o,
                     std::int64_t rows) {
  MapPlan plan = map_plan(program, *o.operand->window.buffer, o.memory_dims);
  plan.box[0] = row_bytes / config.operand_bytes();
  const int down = o.position(o.operand->k_major ? o.operand->row_dim : o.operand->k_dim);
  plan.box[static_cast<std::size_t>(down)] = o.operand->k_major ? rows : config.k;
  return plan;
}

TensorCorePlan launch_plan(const Program& program, const Contraction& c, const TileConfig& config,
                           const KernelNames& names) {
  const OperandConfig &left = config.left, &right = config.right;
  TensorCorePlan plan;
  plan.wgmma = wgmma_code(
      {left.dtype(), right.dtype(), left.operand->k_major, right.operand->k_major}, config.n);
  plan.cluster = config.cluster();
  plan.shared_bytes = config.shared_bytes;
  plan.by_element.assign(names.operands().begin(), names.operands().end());
  plan.left = operand_plan(program, config, left, warpgroup_rows);
  // see right_parts in templates/shape.cuh
  const bool halves = config.hints.pairing == Pairing::rows && right.operand->k_major;
  plan.right = operand_plan(program, config, right, config.n / (halves ? config.cluster() : 1));
  plan.ragged_contraction = config.ragged_k;
  plan.contraction = plan.left.extent[static_cast<std::size_t>(left.position(left.operand->k_dim))];
  plan.result = map_plan(program, *c.result.buffer, config.result_dims);
  plan.result.box[0] = row_bytes / size_of(config.result);
  plan.result.box[1] = config.swapped ? config.n : warp_rows;
  return plan;
}

// Fields for the templates, then fields for the generated functions.
std::vector<ArgField> arguments(const Program& program, const TensorCorePlan& plan,
                                const KernelNames& names) {
  std::vector<ArgField> fields = {
      {"TensorMap", "left", FromLaunch::left_map},
      {"TensorMap", "right", FromLaunch::right_map},
      {"TensorMap", "result_map", FromLaunch::result_map},
      {"void*", "result", OperandAddress{plan.result.buffer}},
      {"i64", "result_rows", plan.result.extent[1]},
      {"i64", "result_columns", plan.result.extent[0]},
      {"i64", "result_pitch", FromLaunch::result_pitch},
      {"i64", "contraction", plan.contraction},
      {"i64*", "arrays", FromLaunch::arrays},
      {"i64", "array_elements", array_elements(program)},
      {"i64*", "error", FromLaunch::error},
      {"u32*", "taken", FromLaunch::taken},
  };
  append_program_fields(fields, program, {Role::in}, names.numbers());
  return fields;
}

std::string summary(const Program& program, const TileConfig& t) {
  const auto layout = [](const OperandConfig& o) {
    return o.operand->k_major ? "along k" : "across k";
  };
  std::string how = hints_text(t.hints);
  if (!how.empty()) how = ", " + how;
  return fmt::format(
      "{}: sm_90a, tiles {} x {} x {}{}, {} stages, {} consumer{}{}, operands {} and {}, {} . {} "
      "-> {}",
      program.name, t.result_rows(), t.result_columns(), t.k, t.swapped ? " swapped" : "", t.stages,
      t.consumers, t.consumers == 1 ? "" : "s", how, layout(t.left), layout(t.right),
      name(t.left.dtype()), name(t.right.dtype()), name(t.result));
}

// Checks extents: coordinates of copies are 32 bits.
Expected<void> check_extents(const Program& program, const TensorCorePlan& plan) {
  for (const MapPlan* map : {&plan.left, &plan.right, &plan.result}) {
    for (const std::int64_t extent : map->extent) {
      if (extent <= max_coordinate) continue;
      const Buffer& buffer = program.buffers[map->buffer];
      return error(ErrorCode::unsupported,
                   fmt::format("`{}` has {} elements along a dimension; the copy engine's "
                               "coordinates are 32 bits",
                               buffer.name, extent));
    }
  }
  return {};
}

}  // namespace

Expected<LoweredKernel> lower(const Program& program, const MachineHints& hints) {
  const Contraction contraction = TRY(recognise(program));
  const TileConfig config = TRY(tile_config(contraction, hints));
  const LoopOrder order = TRY(loop_order(program, contraction));
  KernelNames names(program, {config.m, config.n, config.k});
  SourceTemplate source("tensor_core.cu.in");
  TileFunctions functions(program, contraction, config, order, names);
  functions.write(source);
  if (!functions.problem().empty())
    return unsupported_at(program, contraction.open, functions.problem());
  const TensorCorePlan plan = launch_plan(program, contraction, config, names);
  TRY(check_extents(program, plan));

  LoweredKernel kernel;
  kernel.entry = "tessera_" + program.name;
  kernel.threads = config.threads();
  kernel.arguments = arguments(program, plan, names);
  kernel.array_elements = array_elements(program);
  kernel.result_rows = plan.result.extent[1];
  kernel.sum_error = config.operand_bytes() == 1 ? fp8_sum_error : cut_sum_error;
  kernel.summary = summary(program, config);
  kernel.plan = plan;
  write_config(source, config, functions.exact_rows());
  source.set("summary", kernel.summary);
  source.set("args", args_struct(kernel.arguments));
  source.set("entry", kernel.entry);
  source.set("cluster_dims",
             plan.cluster > 1 ? " __cluster_dims__(tessera::cuda::C::cluster, 1, 1)" : "");
  kernel.source = source.text();
  return kernel;
}

}  // namespace tessera::cuda
