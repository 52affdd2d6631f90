// All-gather matmul: each device multiplies an operand that is sharded over its ring with its own
// weights. While a shard is multiplied, others travel around the ring.
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

// Type and shape of a tensor.
struct TensorType {
  DType dtype = DType::f32;  // element type
  Shape shape;               // extents
};

// Options of the kernel that gathers along k.
struct AllgatherMatmulOptions : CollectiveOptions {
  // literal: the kernel as first published, with a grid whose body copies and waits. production:
  // supports rings of any length and tiles of any size.
  enum class Variant : std::uint8_t { production, literal } variant = Variant::production;
  std::int64_t buffering = 2;    // slots for shards per direction; a power of two
  std::optional<Tiling> tiling;  // production: tiles of the matmul; none: from the machine profile
  // production: memory of the slots. None: hbm if they would use over half of vmem, otherwise vmem.
  std::optional<bool> slots_in_hbm;
  bool protocol_checks = true;   // false: literal may have a buffering that deadlocks, as a demo
  DType out_dtype = DType::f32;  // only f32 is supported
};

// Checks whether one device's operands and result, the rings and the options fit each other. Makes
// the checks of the kernel's authors in their order and with their messages, then additional ones.
// The literal variant requires rings of even length. Fails with ErrorCode::unsupported for a
// buffering that is no power of two or deadlocks (unless protocol_checks is false and the variant
// is literal), and for device numbers other than 0, 1, 2, ...
Expected<void> check_allgather_matmul(const TensorType& lhs, const TensorType& rhs,
                                      const TensorType& out, const Tensor& rings,
                                      const AllgatherMatmulOptions& options);

// out[d] = sum over places q of d's ring: lhs[device at q] . rhs[d][q * k_shard : (q + 1) *
// k_shard]. On each device lhs is bf16 [rows, k_shard], rhs bf16 [length * k_shard, cols] and out
// f32 [rows, cols]; spans are by device number. Place p adds the terms in the order p, p - 1, p +
// 1, p - 2, ... launch_allgather_matmul only prepares the launch, which the operands must outlive;
// allgather_matmul also runs it. Both fail if check_allgather_matmul does, if types or shapes
// differ between devices, if the operands are for another number of devices than the rings, and if
// the literal variant has a tiling or slots in hbm; allgather_matmul also fails if the run does.
Expected<Launch> launch_allgather_matmul(std::span<const Tensor> lhs, std::span<const Tensor> rhs,
                                         const Tensor& rings,
                                         const AllgatherMatmulOptions& options = {});
Expected<std::vector<Tensor>> allgather_matmul(std::span<const Tensor> lhs,
                                               std::span<const Tensor> rhs, const Tensor& rings,
                                               const AllgatherMatmulOptions& options = {});

// Options of the kernel that gathers rows.
struct AllgatherRowsOptions : CollectiveOptions {
  bool transpose_rhs = false;          // y is [cols, k]
  std::optional<std::int64_t> bn, bk;  // tile of y in elements; none: all of y
  // Part of a tile accumulated together; none: all. acc_rows must divide the rows and acc_cols bn,
  // and with several tiles along k both must be all; the run checks this.
  std::optional<std::int64_t> acc_rows, acc_cols;
};

// out[d] = (x of all places of d's ring, concatenated) . y[d]. On each device x is [rows, k], and y
// is [k, cols] of the same type (bf16, f16 or f32). out is [length * rows, cols] of this type,
// accumulated in f32. launch_allgather_matmul_rows only prepares the launch, which the operands
// must outlive; allgather_matmul_rows also runs it. Both fail if operands and rings do not fit each
// other, with ErrorCode::unsupported for other types, and unless 16 divides rows, 128 divides k and
// length * cols, bn divides cols and bk divides k, both positive; allgather_matmul_rows also fails
// if the run does.
Expected<Launch> launch_allgather_matmul_rows(std::span<const Tensor> x, std::span<const Tensor> y,
                                              const Tensor& rings,
                                              const AllgatherRowsOptions& options = {});
Expected<std::vector<Tensor>> allgather_matmul_rows(std::span<const Tensor> x,
                                                    std::span<const Tensor> y, const Tensor& rings,
                                                    const AllgatherRowsOptions& options = {});

}  // namespace tessera
