// All-gather matmul: each device multiplies the operand that is sharded over its ring with weights
// of its own. Shards travel around the ring while others are multiplied.
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

// What a check needs of a tensor.
struct TensorType {
  DType dtype = DType::f32;  // type of its elements
  Shape shape;               // its extents
};

// The kernel that gathers along k.
struct AllgatherMatmulOptions : CollectiveOptions {
  // `literal` is the kernel as its authors first wrote it, with a grid whose body copies and waits;
  // `production` supports rings of any length and tiles of any size.
  enum class Variant : std::uint8_t { production, literal } variant = Variant::production;
  std::int64_t buffering = 2;    // slots for shards in each direction; a power of two
  std::optional<Tiling> tiling;  // production: tiles of the matmul; none: the machine profile's
  // production: where slots lie; none: in hbm if they take over half of vmem.
  std::optional<bool> slots_in_hbm;
  bool protocol_checks = true;   // false: allows a buffering that deadlocks, for demonstration
  DType out_dtype = DType::f32;  // only f32 is supported
};

// Whether one device's operands and result, the rings and the options fit. The
// checks and texts of the kernel's authors in their order, then ours. The literal variant requires
// rings of even length and windows that divide the operands.
Expected<void> check_allgather_matmul(const TensorType& lhs, const TensorType& rhs,
                                      const TensorType& out, const Tensor& rings,
                                      const AllgatherMatmulOptions& options);

// out[d] = sum over places q of d's ring: lhs[device at q] . rhs[d][q * k_shard : (q + 1) *
// k_shard]. On each device lhs is bf16 [rows, k_shard], rhs bf16 [length * k_shard, cols] and out
// f32 [rows, cols]; spans are by device number. The order of the sum at place p is p, p - 1, p + 1,
// p - 2, ... The first function only prepares the launch, the second one runs it. Errors are what
// check_allgather_matmul refuses, and for the second one those of running.
Expected<Launch> launch_allgather_matmul(std::span<const Tensor> lhs, std::span<const Tensor> rhs,
                                         const Tensor& rings,
                                         const AllgatherMatmulOptions& options = {});
Expected<std::vector<Tensor>> allgather_matmul(std::span<const Tensor> lhs,
                                               std::span<const Tensor> rhs, const Tensor& rings,
                                               const AllgatherMatmulOptions& options = {});

// The kernel that gathers rows.
struct AllgatherRowsOptions : CollectiveOptions {
  bool transpose_rhs = false;                      // y is [cols, k]
  std::optional<std::int64_t> bn, bk;              // tile of y in elements; none: all of it
  std::optional<std::int64_t> acc_rows, acc_cols;  // part of a tile accumulated at once; none: all
};

// out[d] = (x of all places of d's ring, one below the other) . y[d]. On each device x is [rows, k]
// with an even number of rows, y [k, cols] of the same type (bf16, f16 or f32), and out [length *
// rows, cols] of that type, accumulated in f32. The first function prepares the launch, the second
// one runs it. Errors are operands, rings and tiles that do not fit.
Expected<Launch> launch_allgather_matmul_rows(std::span<const Tensor> x, std::span<const Tensor> y,
                                              const Tensor& rings,
                                              const AllgatherRowsOptions& options = {});
Expected<std::vector<Tensor>> allgather_matmul_rows(std::span<const Tensor> x,
                                                    std::span<const Tensor> y, const Tensor& rings,
                                                    const AllgatherRowsOptions& options = {});

}  // namespace tessera
