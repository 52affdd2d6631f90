// The public operations: grouped matmul, its transposed form, their gradients and their cost.
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

// Which groups a call processes: those from `offset` on, as many as rhs holds. Global rows: lhs has
// the rows of all groups; Local: of the processed ones only.
struct GroupWindow {
  enum Rows : std::uint8_t { Global, Local };
  std::int64_t offset = 0;
  Rows rows = Global;
};

// A window whose offset is a tensor of shape () or (1,).
Expected<GroupWindow> group_window(const Tensor& group_offset,
                                   GroupWindow::Rows rows = GroupWindow::Global);

struct GroupedMatmulOptions {
  DType out_dtype = DType::f32;  // i8: exact in a tile, then f32; i32 wraps
  TilingSpec tiling;
  std::int64_t input_buffer_count = 2;  // slots of each input window; never changes a result
  std::optional<std::int64_t>
      align;  // gmm: first rows of tiles are multiples of it; none: of the tile's m
  // How the kernel of a given tiling uses a GPU: refused elsewhere, and where only the general
  // kernel computes the call. Without a tiling the backend's model chooses both.
  MachineHints hints;
  GroupWindow window;
  bool transpose_rhs = false;  // gmm: rhs is [groups, n, k]
  const Tensor* existing_out = nullptr;
  ExistingOut existing_mode = ExistingOut::Accumulate;
  Precision precision = Precision::Default;
  bool strict_sum = false;  // the sizes must sum to m, not only to at most m

  // tgmm only: how many groups to compute (none: all from the window's offset on), and whether lhs
  // is given as [k, m] or as it is stored, [m, k]. [k, m] is copied once.
  std::optional<std::int64_t> num_actual_groups;
  enum class LhsLayout : std::uint8_t { km, mk } lhs_layout = LhsLayout::km;

  // A text of one's own, whose kernel gmm or tgmm takes the parameters and operands of the shipped
  // one and is run in its place.
  const Module* program = nullptr;

  std::string device;  // a device's name or "reference"; empty: the best one there is
  DeviceOptions run;
};

// out[rows of group g] = lhs[rows of group g] . rhs[g - window.offset]: lhs [m, k], rhs [groups, k,
// n], group_sizes of i32, u32 or i64. Rows of no processed group are zero, or those of
// existing_out. A finding of the run is an error.
Expected<Tensor> grouped_matmul(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                const GroupedMatmulOptions& options = {});
// out[g] = lhs[:, rows of g] . rhs[rows of g, :]: lhs [k, m], rhs [m, n]. An empty group gives a
// zero block.
Expected<Tensor> transposed_grouped_matmul(const Tensor& lhs, const Tensor& rhs,
                                           const Tensor& group_sizes,
                                           const GroupedMatmulOptions& options = {});

struct GroupedMatmulGradients {
  Tensor lhs, rhs;                     // of the operands' shapes and types
  std::optional<Tensor> existing_out;  // when there was one
};

// The cotangents of grouped_matmul's operands, called with the same operands and options, for that
// of its result. A tiling given serves each product by its own m, k and n; a function is asked for
// each. MachineHints are of the call alone.
Expected<GroupedMatmulGradients> grouped_matmul_vjp(const Tensor& cotangent, const Tensor& lhs,
                                                    const Tensor& rhs, const Tensor& group_sizes,
                                                    const GroupedMatmulOptions& options = {});

// A call with all that there is to tell. When report.findings is not empty, `out` means nothing.
struct GroupedMatmulRun {
  Tensor out;
  std::string device;
  std::string kernel;  // "gmm_128x128x128_transpose_rhs"
  Tiling tiling;
  std::vector<std::string> notes;  // what the caller should know: conversions, precision
  Loc result_place;                // where the kernel's text declares `out`
  DeviceReport report;
};

Expected<GroupedMatmulRun> run_grouped_matmul(const Tensor& lhs, const Tensor& rhs,
                                              const Tensor& group_sizes,
                                              const GroupedMatmulOptions& options);
Expected<GroupedMatmulRun> run_transposed_grouped_matmul(const Tensor& lhs, const Tensor& rhs,
                                                         const Tensor& group_sizes,
                                                         const GroupedMatmulOptions& options);

// The same calls as the reference and the checks (kernels/oracle/check_grouped.h) take them.
Expected<GroupedProblem> gmm_problem(const Tensor& lhs, const Tensor& rhs,
                                     const Tensor& group_sizes,
                                     const GroupedMatmulOptions& options);
Expected<GroupedProblem> tgmm_problem(const Tensor& lhs, const Tensor& rhs,
                                      const Tensor& group_sizes,
                                      const GroupedMatmulOptions& options);

}  // namespace tessera
