// How a grouped product is cut into tiles where it runs.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "devices/cuda/model/grouped_model.h"
#include "devices/device.h"
#include "kernels/grouped_matmul/grouped_matmul.h"

namespace tessera {

struct LaunchTuning {
  Tiling tiling;
  std::int64_t buffers = 2;
  std::optional<std::int64_t> align;  // gmm: where tiles begin
  MachineHints hints;
};

// Whether the device of that name, or the one that is taken without a name, has the CUDA kernels.
bool runs_on_cuda(std::string_view device);

inline constexpr std::string_view reference_device = "reference";
// A tiling, or other slots of the windows than the default ones, where there is no kernel to cut.
std::optional<Diag> idle_tuning(std::string_view device, const TilingSpec& tiling,
                                std::int64_t buffers);

// A product of rows with the weights of their group, and what is asked of it.
struct CudaOperands {
  DType lhs = DType::bf16, rhs = DType::bf16;
  bool transpose_rhs = false;  // weights are contiguous along the contraction
  std::int64_t k = 0;
  bool default_precision = true;
};
// Whether the fast kernels multiply e4m3 and e5m2 as they are, by instructions that keep few digits
// of a sum; else bf16 holds such elements exactly.
bool stays_fp8(const CudaOperands& operands);

// Of a launch whose tiling nobody gave, on the GPU that is here: the model's first choice, among
// those that have room for `buffers` where these are not the default.
LaunchTuning modelled_tuning(const cuda::GroupedShape& shape, std::int64_t buffers);

// The tiling that is given or looked up for these extents, else the machine profile's.
Expected<Tiling> chosen_tiling(const TilingSpec& spec, std::int64_t m, std::int64_t k,
                               std::int64_t n, const DeviceOptions& run);

}  // namespace tessera
