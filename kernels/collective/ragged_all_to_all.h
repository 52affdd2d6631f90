// Ragged all-to-all: any device sends rows to any other device, in slices with sizes and offsets
// that are data.
#pragma once  // public
#include <span>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// Slices that one device sends and receives: integers [slices], in rows. The number of devices must
// divide `slices`. With per = slices / devices, slice i goes to device i / per, and received slice
// i comes from device i / per. Follows jax.lax.ragged_all_to_all.
struct RaggedSlices {
  Tensor input_offsets;   // first row of slice i in the operand
  Tensor send_sizes;      // rows of slice i
  Tensor output_offsets;  // first row of slice i in the receiver's output
  Tensor recv_sizes;      // rows of received slice i
};

// out[d] = output[d], overwritten by the rows that d receives. `operand` is [rows, ...] with one
// shape and type on every device, and `output` is [out_rows, ...] of this type. Spans are by device
// number. launch_ragged_all_to_all only prepares the launch, which operand and output must outlive;
// ragged_all_to_all also runs it. Both fail if operands, outputs and slices are for different
// numbers of devices or differ in type or shape, like check_ragged_slices(), and with
// ErrorCode::unsupported for types other than f32, bf16, f16, i32 and i8.
Expected<Launch> launch_ragged_all_to_all(std::span<const Tensor> operand,
                                          std::span<const Tensor> output,
                                          std::span<const RaggedSlices> slices,
                                          const CollectiveOptions& options = {});
Expected<std::vector<Tensor>> ragged_all_to_all(std::span<const Tensor> operand,
                                                std::span<const Tensor> output,
                                                std::span<const RaggedSlices> slices,
                                                const CollectiveOptions& options = {});
// Compares the results of a completed launch with the expected rows, bit for bit except for NaN
// payloads. The arguments must be those of the launch; operand and output must be matrices.
Verdict check_ragged_all_to_all(std::span<const Tensor> operand, std::span<const Tensor> output,
                                std::span<const RaggedSlices> slices, const Launch& done,
                                const CheckOptions& options);

// Cotangents of both inputs.
struct RaggedGradients {
  // By device number, with the shapes of the inputs.
  std::vector<Tensor> operand, output;
};
// Returns the vector-Jacobian product. cotangent: cotangent of the result, by device number.
// operand_rows: number of rows of each device's operand. Fails like ragged_all_to_all(), and for
// slices that read a row twice, because their cotangents would have to be added.
Expected<RaggedGradients> ragged_all_to_all_vjp(std::span<const Tensor> cotangent,
                                                std::int64_t operand_rows,
                                                std::span<const RaggedSlices> slices,
                                                const CollectiveOptions& options = {});

// Checks that the slices fit operands of `rows` rows and outputs of `out_rows` rows. Uses jax's
// messages if it has them. Fails for slices of a wrong type (ErrorCode::invalid_type), shape or
// number, negative entries, sizes that differ between sender and receiver, rows outside an operand
// or an output, and two slices that overwrite the same row.
Expected<void> check_ragged_slices(std::int64_t rows, std::int64_t out_rows,
                                   std::span<const RaggedSlices> slices);

}  // namespace tessera
