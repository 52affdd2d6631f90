// Ragged all-to-all: rows go from any device to any device, in slices whose sizes and places are
// data.
#pragma once  // public
#include <span>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// What one device sends and receives: integers [slices], in rows, where the number of devices
// divides `slices`. With per = slices / devices, slice i goes to device i / per, and received slice
// i comes from device i / per. After jax.lax.ragged_all_to_all.
struct RaggedSlices {
  Tensor input_offsets;   // first row of slice i in the operand
  Tensor send_sizes;      // how many rows it has
  Tensor output_offsets;  // first row that it is written to, in the receiver's output
  Tensor recv_sizes;      // how many rows received slice i has
};

// out[d] = output[d], overwritten by the rows that d receives. `operand` is [rows, ...] of one
// shape and type on every device, `output` [out_rows, ...] of that type; spans are by device
// number. The first function prepares the launch, the second one runs it. Sizes that disagree, rows
// outside an operand or an output, and rows that two slices overwrite are errors that name the
// devices.
Expected<Launch> launch_ragged_all_to_all(std::span<const Tensor> operand,
                                          std::span<const Tensor> output,
                                          std::span<const RaggedSlices> slices,
                                          const CollectiveOptions& options = {});
Expected<std::vector<Tensor>> ragged_all_to_all(std::span<const Tensor> operand,
                                                std::span<const Tensor> output,
                                                std::span<const RaggedSlices> slices,
                                                const CollectiveOptions& options = {});
// Compares the results of a launch that ran, on matrices, with the rows that belong there, bit for
// bit.
Verdict check_ragged_all_to_all(std::span<const Tensor> operand, std::span<const Tensor> output,
                                std::span<const RaggedSlices> slices, const Launch& done,
                                const CheckOptions& options);

// Cotangents of both inputs.
struct RaggedGradients {
  // By device number, of the shapes of the inputs.
  std::vector<Tensor> operand, output;
};
// The vector-Jacobian product: `cotangent` is that of the result, by device number; each device's
// operand has `operand_rows` rows. Slices that read a row twice are refused, since their cotangents
// would have to be added.
Expected<RaggedGradients> ragged_all_to_all_vjp(std::span<const Tensor> cotangent,
                                                std::int64_t operand_rows,
                                                std::span<const RaggedSlices> slices,
                                                const CollectiveOptions& options = {});

// Whether the slices fit operands of `rows` and outputs of `out_rows` rows. The
// texts are those of jax where it has them.
Expected<void> check_ragged_slices(std::int64_t rows, std::int64_t out_rows,
                                   std::span<const RaggedSlices> slices);

}  // namespace tessera
