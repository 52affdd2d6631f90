// Options of a grouped GEMM, and its result with the data for a report.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "devices/device.h"
#include "kernels/grouped_gemm/grouped_tensor.h"
#include "kernels/grouped_matmul/grouped_matmul.h"

namespace tessera {

// Way to launch the groups. V1: one kernel for each group, with sizes read by the host. V2: one
// kernel for all groups, which reads the sizes on the device. Auto: V2 if it can run the call,
// otherwise V1.
enum class GroupedGemmPath : std::uint8_t { Auto, V1, V2 };

// Options of a call. The caller owns the tensors, which must outlive the call.
struct GroupedGemmOptions {
  // Contracted axes of each operand, counted from 0; axes at the same position are paired.
  std::vector<std::int64_t> lhs_contracting{1}, rhs_contracting{2};
  const Tensor* alpha = nullptr;  // factor of each product, f32 [groups]; null: ones
  // Factor of c, f32 [groups]; null: zeros. If it is 0, c is not read.
  const Tensor* beta = nullptr;
  const Tensor* c = nullptr;     // added to the products; same shape and type as the result
  const Tensor* bias = nullptr;  // added to each row: f32, bf16 or f16 [groups, columns]
  std::optional<DType> preferred_element_type;  // type of the result; none: the operands' dq_dtype
  std::optional<QuantizeSpec> lhs_quantizer, rhs_quantizer;  // both or none, with the same mode
  Precision precision = Precision::Default;  // others exclude the fp8 instructions of a GPU
  const Tensor* group_offset = nullptr;      // must be null, as in TransformerEngine
  bool use_async_d2h_group_sizes = false;    // V1: at most 1024 groups
  // Path to use. V2 fails if it cannot run the call.
  GroupedGemmPath path = GroupedGemmPath::Auto;
  TilingSpec tiling;                    // tile extents; none: chosen by the device
  std::int64_t input_buffer_count = 2;  // slots per input window; no effect on the result
  std::string device;                   // like in GroupedMatmulOptions
  DeviceOptions run;                    // machine profile, schedule and checks of the interpreter
};

// Result of a call, with the data for a report.
struct GroupedGemmRun : GroupedMatmulRun {
  GroupedGemmPath path = GroupedGemmPath::V2;  // path that was used
  std::string why_not_v2;                      // reason why V2 cannot run the call; empty if it can
  DimSizes out_first_dims, out_last_dims;  // extents of the result's groups along its merged axes
};

}  // namespace tessera
