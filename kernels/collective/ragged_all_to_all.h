// Rows go from any device to any device, in slices whose sizes and places are data.
#pragma once  // public
#include <span>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// What one device sends and receives, slice by slice: integers of shape (slices,), a multiple of
// the devices. Slice i goes to device i / per, per = slices / devices, and received slice i comes
// from device i / per. After jax.lax.ragged_all_to_all.
struct RaggedSlices {
  Tensor input_offsets;   // first row of slice i in the operand
  Tensor send_sizes;      // its rows
  Tensor output_offsets;  // first row that it is written to, in the receiver's output
  Tensor recv_sizes;      // rows of received slice i
};

// out[d] = output[d], written over by the rows that d receives. operand: [rows, ...] of one shape
// and type on every device, output: [out_rows, ...] of that type. Sizes that disagree, rows outside
// an operand or an output and rows that two slices land on are errors that name the devices.
Expected<Launch> launch_ragged_all_to_all(std::span<const Tensor> operand,
                                          std::span<const Tensor> output,
                                          std::span<const RaggedSlices> slices,
                                          const CollectiveOptions& options = {});
Expected<std::vector<Tensor>> ragged_all_to_all(std::span<const Tensor> operand,
                                                std::span<const Tensor> output,
                                                std::span<const RaggedSlices> slices,
                                                const CollectiveOptions& options = {});
// The results of a launch on matrices, row by row.
Verdict check_ragged_all_to_all(std::span<const Tensor> operand, std::span<const Tensor> output,
                                std::span<const RaggedSlices> slices, const Launch& done,
                                const CheckOptions& options);

struct RaggedGradients {
  std::vector<Tensor> operand, output;
};
// The cotangents of both for that of the result; operand_rows: of each device's operand. Slices
// that read a row twice are refused: their cotangents would have to be added.
Expected<RaggedGradients> ragged_all_to_all_vjp(std::span<const Tensor> cotangent,
                                                std::int64_t operand_rows,
                                                std::span<const RaggedSlices> slices,
                                                const CollectiveOptions& options = {});

// What the checks above refuse, in their order. Texts that jax has are jax's.
Diags check_ragged_slices(std::int64_t rows, std::int64_t out_rows,
                          std::span<const RaggedSlices> slices);

}  // namespace tessera
