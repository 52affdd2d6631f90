// Grouped matmul on tensors of the host: the operation, its transposed form and their gradients.
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

// Which groups a call processes: those from `offset` on, as many as rhs holds.
struct GroupWindow {
  // Whether lhs has the rows of all groups, or of the processed ones only.
  enum Rows : std::uint8_t { Global, Local };
  std::int64_t offset = 0;  // index of the first processed group
  Rows rows = Global;       // which rows lhs has
};

// The window whose offset is the value of a tensor of integers of shape () or (1,); an error for
// another shape or type.
Expected<GroupWindow> group_window(const Tensor& group_offset,
                                   GroupWindow::Rows rows = GroupWindow::Global);

// Options of a call.
struct GroupedMatmulOptions {
  // Type of the result. Sums of i8 products are exact within a tile, then added in f32 for a float
  // result; for i32 they wrap.
  DType out_dtype = DType::f32;
  TilingSpec tiling;                    // extents of the tiles; none: the device's choice
  std::int64_t input_buffer_count = 2;  // slots of each input window; never changes a result
  // gmm: the first row of each tile is a multiple of it, in rows; none: of the tile's m.
  std::optional<std::int64_t> align;
  // How the kernel uses a GPU, for a call with a tiling: refused on other devices, and where only
  // the general kernel can run the call. Without a tiling the device chooses both.
  MachineHints hints;
  GroupWindow window;                    // which groups are processed
  bool transpose_rhs = false;            // gmm: rhs is [groups, n, k]
  const Tensor* existing_out = nullptr;  // of the result's shape and type; null: zeros
  // Whether existing_out is added to what is computed, or replaced by it.
  ExistingOut existing_mode = ExistingOut::Accumulate;
  Precision precision = Precision::Default;  // refused by devices that cannot honour it
  bool strict_sum = false;                   // the sizes must sum to m, not only to at most m

  // tgmm only: how many groups are computed; none: all from the window's offset on.
  std::optional<std::int64_t> num_actual_groups;
  // tgmm only: whether lhs is [k, m], which is transposed into a copy first, or [m, k].
  enum class LhsLayout : std::uint8_t { km, mk } lhs_layout = LhsLayout::km;

  // A module with a kernel `gmm` or `tgmm` that replaces the built-in one; it takes the same
  // parameters and operands. Null: the built-in kernel.
  const Module* program = nullptr;

  std::string device;  // a device's name or "reference"; empty: the best one there is
  DeviceOptions run;   // machine profile, schedule and checks of the interpreter
};

// out[rows of group g] = lhs[rows of group g] . rhs[g - window.offset]: lhs [m, k], rhs [groups, k,
// n], group_sizes [groups] of i32, u32 or i64; the result is [m, n]. Rows of no processed group are
// zero, or those of existing_out. Errors are operands and options that do not fit, what the device
// cannot run (ErrorCode::unsupported), and a finding of the run. After gmm of JAX's Pallas kernels.
Expected<Tensor> grouped_matmul(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                const GroupedMatmulOptions& options = {});
// out[g] = lhs[:, rows of g] . rhs[rows of g, :]: lhs [k, m], rhs [m, n], group_sizes [groups]; the
// result is [groups, k, n]. An empty group gives a zero block. Errors as of grouped_matmul. After
// tgmm of JAX's Pallas kernels.
Expected<Tensor> transposed_grouped_matmul(const Tensor& lhs, const Tensor& rhs,
                                           const Tensor& group_sizes,
                                           const GroupedMatmulOptions& options = {});

// Cotangents of the operands.
struct GroupedMatmulGradients {
  Tensor lhs, rhs;                     // of the operands' shapes and types
  std::optional<Tensor> existing_out;  // of the existing result; none without one
};

// The vector-Jacobian product of grouped_matmul(lhs, rhs, group_sizes, options): `cotangent` is
// that of its result, [m, n]. A tiling in the options applies to each of the products by its m, k
// and n, and a look-up function is called for each; options.hints are not used. Errors as of
// grouped_matmul.
Expected<GroupedMatmulGradients> grouped_matmul_vjp(const Tensor& cotangent, const Tensor& lhs,
                                                    const Tensor& rhs, const Tensor& group_sizes,
                                                    const GroupedMatmulOptions& options = {});

// The result of a call with what a report shows beside it.
struct GroupedMatmulRun {
  Tensor out;                      // the result; undefined where report.findings is not empty
  std::string device;              // name of the device that ran it, or "reference"
  std::string kernel;              // "gmm_128x128x128_transpose_rhs"
  Tiling tiling;                   // the extents of its tiles
  std::vector<std::string> notes;  // sentences on conversions of operands and on precision
  Loc result_place;                // where the kernel's text declares `out`
  DeviceReport report;             // time, findings, warnings
};

// grouped_matmul and transposed_grouped_matmul with what a report shows beside the result; findings
// are no errors here.
Expected<GroupedMatmulRun> run_grouped_matmul(const Tensor& lhs, const Tensor& rhs,
                                              const Tensor& group_sizes,
                                              const GroupedMatmulOptions& options);
Expected<GroupedMatmulRun> run_transposed_grouped_matmul(const Tensor& lhs, const Tensor& rhs,
                                                         const Tensor& group_sizes,
                                                         const GroupedMatmulOptions& options);

// The calls as check_gmm and check_tgmm (kernels/oracle/check_grouped.h) take them. They point to
// the operands, which must outlive them. Errors are operands and options that do not fit.
Expected<GroupedProblem> gmm_problem(const Tensor& lhs, const Tensor& rhs,
                                     const Tensor& group_sizes,
                                     const GroupedMatmulOptions& options);
Expected<GroupedProblem> tgmm_problem(const Tensor& lhs, const Tensor& rhs,
                                      const Tensor& group_sizes,
                                      const GroupedMatmulOptions& options);

}  // namespace tessera
