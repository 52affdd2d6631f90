// Grouped matmul on host tensors: the operation, its transposed form and their gradients.
#pragma once  // public
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/data/tensor.h"
#include "core/kernel/grouped_desc.h"
#include "core/kernel/kernel_config.h"
#include "core/report/expected.h"
#include "devices/device.h"
#include "kernels/launch/tiling_spec.h"
#include "kernels/oracle/reference.h"

namespace tessera {

struct Module;  // core/lang/language.h

// Range of groups that a call processes: starts at `offset`, and has one group per matrix of rhs.
struct GroupWindow {
  // Rows of lhs. Global: the rows of all groups. Local: only the rows of the processed groups.
  enum Rows : std::uint8_t { Global, Local };
  std::int64_t offset = 0;  // first processed group
  Rows rows = Global;       // rows of lhs
};

// Returns a window whose offset is the value of `group_offset`, an integer tensor of shape () or
// (1,). Fails for another shape, without data, and with ErrorCode::invalid_type for another type.
// The range of the offset is not checked.
Expected<GroupWindow> group_window(const Tensor& group_offset,
                                   GroupWindow::Rows rows = GroupWindow::Global);

// Options of a call.
struct GroupedMatmulOptions {
  // Type of the result. Sums of i8 products are exact within a tile. They are then added in f32 for
  // a float result; for i32 they wrap.
  DType out_dtype = DType::f32;
  TilingSpec tiling;                    // tile extents; none: chosen by the device
  std::int64_t input_buffer_count = 2;  // slots per input window; no effect on the result
  // gmm: the first row of each tile is a multiple of this number. None: a multiple of the tile's m.
  std::optional<std::int64_t> align;
  // GPU settings of the kernel. They require a tiling, and are rejected on other devices and if
  // only the general kernel can run the call. Without tiling and hints the device chooses both.
  MachineHints hints;
  GroupWindow window;                    // processed groups
  bool transpose_rhs = false;            // gmm: rhs is [groups, n, k]
  const Tensor* existing_out = nullptr;  // same shape and type as the result; null: zeros
  // Accumulate: the product is added to existing_out. Overwrite: it replaces rows of existing_out.
  ExistingOut existing_mode = ExistingOut::Accumulate;
  Precision precision = Precision::Default;  // others exclude the fp8 instructions of a GPU
  bool strict_sum = false;                   // the sizes must sum to exactly m, not at most m

  // tgmm only: number of groups to compute, from window.offset on. None: all of them.
  std::optional<std::int64_t> num_actual_groups;
  // tgmm only: layout of lhs, [k, m] or [m, k]. [k, m] is first transposed into a copy.
  enum class LhsLayout : std::uint8_t { km, mk } lhs_layout = LhsLayout::km;

  // Module with a kernel `gmm` or `tgmm` (for a vjp: both) that replaces the built-in one and has
  // the same parameters and operands. Null: the built-in kernel.
  const Module* program = nullptr;

  // Name of a device, or "reference", which rejects a tiling, a number of buffers, an align and a
  // program. Empty: the best available device.
  std::string device;
  DeviceOptions run;  // machine profile, schedule and checks of the interpreter
};

// Returns out [m, n] with out[rows of group g] = lhs[rows of group g] . rhs[g - window.offset], for
// lhs [m, k], rhs [groups, k, n] and group_sizes [groups] of i32, u32 or i64. Rows outside the
// processed groups are copied from existing_out, or zero. Fails if operands and options do not fit
// each other, with ErrorCode::environment if the device is not available, with
// ErrorCode::unsupported if it cannot run the call, with the findings of the run, and if a limit or
// a signal ended it. Follows gmm of JAX's Pallas kernels.
Expected<Tensor> grouped_matmul(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                const GroupedMatmulOptions& options = {});
// Returns out [processed groups, k, n] with
// out[g - window.offset] = lhs[:, rows of g] . rhs[rows of g, :], for lhs [k, m] (or [m, k], see
// lhs_layout), rhs [m, n] and group_sizes [groups]. The product of an empty group is zero, so with
// ExistingOut::Accumulate the block of existing_out is unchanged. Fails like grouped_matmul.
// Follows tgmm of JAX's Pallas kernels.
Expected<Tensor> transposed_grouped_matmul(const Tensor& lhs, const Tensor& rhs,
                                           const Tensor& group_sizes,
                                           const GroupedMatmulOptions& options = {});

// Cotangents of the operands.
struct GroupedMatmulGradients {
  Tensor lhs, rhs;                     // same shapes and types as the operands
  std::optional<Tensor> existing_out;  // none without an existing result
};

// Returns the vector-Jacobian product of grouped_matmul(lhs, rhs, group_sizes, options). cotangent:
// cotangent of the result, [m, n], with the result's type. A tiling in the options applies to each
// of the two products, in terms of its own m, k and n; a look-up function is called for each
// product. options.hints are not used. Fails like grouped_matmul, and with ErrorCode::invalid_type
// if both operands are i8 and for a cotangent of another type.
Expected<GroupedMatmulGradients> grouped_matmul_vjp(const Tensor& cotangent, const Tensor& lhs,
                                                    const Tensor& rhs, const Tensor& group_sizes,
                                                    const GroupedMatmulOptions& options = {});

// Result of a call, with the data for a report.
struct GroupedMatmulRun {
  Tensor out;                      // undefined with findings, or if a limit or signal ended the run
  std::string device;              // name of the device, or "reference"
  std::string kernel;              // for example "gmm_128x128x128_transpose_rhs"
  Tiling tiling;                   // tile extents of the kernel
  std::vector<std::string> notes;  // on operand conversions and precision, one sentence each
  Loc result_place;                // declaration of `out` in the kernel's text
  DeviceReport report;             // time, findings, warnings
};

// Variants of grouped_matmul and transposed_grouped_matmul that also return the data for a report.
// Findings of the run, and limits or signals that ended it, are in the report; they are not errors.
// Otherwise fail like these functions.
Expected<GroupedMatmulRun> run_grouped_matmul(const Tensor& lhs, const Tensor& rhs,
                                              const Tensor& group_sizes,
                                              const GroupedMatmulOptions& options);
Expected<GroupedMatmulRun> run_transposed_grouped_matmul(const Tensor& lhs, const Tensor& rhs,
                                                         const Tensor& group_sizes,
                                                         const GroupedMatmulOptions& options);

// Return the same calls as arguments of check_gmm and check_tgmm (kernels/oracle/check_grouped.h).
// lhs, rhs and options.existing_out must outlive the result. Fail if operands and options do not
// fit each other.
Expected<GroupedProblem> gmm_problem(const Tensor& lhs, const Tensor& rhs,
                                     const Tensor& group_sizes,
                                     const GroupedMatmulOptions& options);
Expected<GroupedProblem> tgmm_problem(const Tensor& lhs, const Tensor& rhs,
                                      const Tensor& group_sizes,
                                      const GroupedMatmulOptions& options);

}  // namespace tessera
