// All-gather matmul: every device multiplies what its whole ring holds with weights of its own.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/data/tensor.h"
#include "core/kernel/tiling.h"
#include "core/report/expected.h"
#include "kernels/launch/launch.h"

namespace tessera {

struct TensorType {
  DType dtype = DType::f32;
  Shape shape;
};

// Gather over k: lhs is one device's shard.
struct AllgatherMatmulOptions : CollectiveOptions {
  enum class Variant : std::uint8_t { production, literal } variant = Variant::production;
  std::int64_t buffering = 2;        // slots a side; a power of two
  std::optional<Tiling> tiling;      // production; none: the machine profile's
  std::optional<bool> slots_in_hbm;  // production; none: when they fill half of vmem
  bool protocol_checks = true;       // false: run a buffering that deadlocks, to see it
  DType out_dtype = DType::f32;      // only f32 is supported
};

// One device's operands and result, the rings and the buffering: the checks of the kernel's source
// in its order and texts, then our own. `literal` asks for an even length and whole windows.
Diags check_allgather_matmul(const TensorType& lhs, const TensorType& rhs, const TensorType& out,
                             const Tensor& rings, const AllgatherMatmulOptions& options);

// out[d] = sum over places q of d's ring: lhs[device at q] . rhs[d][q * k_shard +: k_shard].
// lhs: bf16 [rows, k_shard]; rhs: bf16 [length * k_shard, cols]; out: f32 [rows, cols]. The order
// of the sum at place p is p, p - 1, p + 1, p - 2, ...; every device of the rings has its operands.
Expected<Launch> launch_allgather_matmul(std::span<const Tensor> lhs, std::span<const Tensor> rhs,
                                         const Tensor& rings,
                                         const AllgatherMatmulOptions& options = {});
Expected<std::vector<Tensor>> allgather_matmul(std::span<const Tensor> lhs,
                                               std::span<const Tensor> rhs, const Tensor& rings,
                                               const AllgatherMatmulOptions& options = {});

// Gather over the rows.
struct AllgatherRowsOptions : CollectiveOptions {
  bool transpose_rhs = false;                      // y is [cols, k]
  std::optional<std::int64_t> bn, bk;              // tile of y; none: all of it
  std::optional<std::int64_t> acc_rows, acc_cols;  // accumulated at once; none: the tile
};

// out[d] = (rows of every place, in their order) . y[d]. x: [rows, k], y: [k, cols] of one type;
// out: [length * rows, cols] of that type, accumulated in f32.
Expected<Launch> launch_allgather_matmul_rows(std::span<const Tensor> x, std::span<const Tensor> y,
                                              const Tensor& rings,
                                              const AllgatherRowsOptions& options = {});
Expected<std::vector<Tensor>> allgather_matmul_rows(std::span<const Tensor> x,
                                                    std::span<const Tensor> y, const Tensor& rings,
                                                    const AllgatherRowsOptions& options = {});

}  // namespace tessera
