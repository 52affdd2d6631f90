#include "kernels/programs/kernels.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/report/guarded.h"
#include "kernels/programs/embedded.h"

namespace tessera {
namespace {

constexpr Kernel all_kernels[] = {
    {"gmm", "gmm"},
    {"tgmm", "tgmm"},
    {"ragged_rows", "ragged-dot"},
    {"ragged_contraction", "ragged-dot"},
    {"grouped_gemm", "grouped-gemm"},
    {"grouped_gemm_wgrad", "grouped-gemm"},
    {"scaled_matmul", "run"},
    {"quantize_tensor", "run"},
    {"quantize_current", "run"},
    {"dequantize_tensor", "run"},
    {"quantize_mxfp8", "run"},
    {"dequantize_mxfp8", "run"},
    {"allgather_matmul", "ag-matmul"},
    {"allgather_matmul_literal", "ag-matmul"},
    {"allgather_matmul_rows", "ag-matmul"},
    {"matmul_reduce_scatter", "matmul-rs"},
    {"right_permute", "right-permute"},
    {"ring_all_gather", "all-gather"},
    {"ring_all_gather_halves", "all-gather"},
    {"ring_all_reduce", "all-reduce"},
    {"ring_reduce_scatter", "reduce-scatter"},
    {"sharded_gmm", "sharded-gmm"},
    {"ragged_all_to_all", "ragged-all-to-all"},
    {"expert_parallel_gmm", "ep-gmm"},
    {"ring_of_experts", "ring-of-experts"},
};

// Modules of functions: for tiles and groups, and for rings.
constexpr std::string_view library_names[] = {"library", "collectives"};

using Modules = std::map<std::string, Expected<Module>, std::less<>>;

const Modules& modules() {
  static const Modules parsed = [] {
    Modules result;
    for (std::size_t i = 0; i < embedded_program_count; ++i) {
      const EmbeddedProgram& program = embedded_programs[i];
      auto source =
          std::make_shared<const Source>(Source{fmt::format("<{}>", program.name), program.text});
      result.emplace(program.name, parse(std::move(source)));
    }
    return result;
  }();
  return parsed;
}

}  // namespace

std::span<const Kernel> kernels() { return all_kernels; }

const Kernel* find_kernel(std::string_view name) {
  for (const Kernel& kernel : all_kernels) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

Expected<const Module*> embedded_module(std::string_view name) {
  const auto found = modules().find(name);
  if (found == modules().end()) return error(fmt::format("no embedded program {}", name));
  if (!found->second) return found->second.diags();
  return &*found->second;
}

Expected<std::vector<const Module*>> function_library() {
  std::vector<const Module*> library;
  for (const std::string_view name : library_names) {
    const Expected<const Module*> module = embedded_module(name);
    if (!module) return module.diags();
    library.push_back(*module);
  }
  return library;
}

Expected<Program> make_kernel(std::string_view name, const Settings& settings,
                              const InstantiateOptions& launch) try {
  if (!find_kernel(name)) return error(fmt::format("no kernel {}", name));
  const Expected<const Module*> module = embedded_module(name);
  if (!module) return module.diags();
  const auto library = function_library();
  if (!library) return library.diags();
  return instantiate(**module, name, settings, *library, launch);
} catch (...) {
  return given_up("making a program");
}

}  // namespace tessera
