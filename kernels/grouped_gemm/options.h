// Options of a grouped GEMM, and its result with what a report shows.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "devices/device.h"
#include "kernels/grouped_gemm/grouped_tensor.h"
#include "kernels/grouped_matmul/grouped_matmul.h"

namespace tessera {

// How groups are launched. V1: one kernel for each group, with sizes that the host reads. V2: one
// kernel for all groups, which reads the sizes on the device. Auto: V2 where it can run the call,
// else V1.
enum class GroupedGemmPath : std::uint8_t { Auto, V1, V2 };

// Options of a call. Tensors are the caller's.
struct GroupedGemmOptions {
  // Contracted axes of each operand, counted from 0; axis i of one goes with axis i of the other.
  std::vector<std::int64_t> lhs_contracting{1}, rhs_contracting{2};
  const Tensor* alpha = nullptr;  // factor of each product, f32 [groups]; null: ones
  // Factor of c, f32 [groups]; null: zeros. Where it is 0, c is not read.
  const Tensor* beta = nullptr;
  const Tensor* c = nullptr;     // added to the products; of the result's shape and type
  const Tensor* bias = nullptr;  // added to each row: f32, bf16 or f16 [groups, columns]
  std::optional<DType> preferred_element_type;  // of the result; none: the operands' dq_dtype
  std::optional<QuantizeSpec> lhs_quantizer, rhs_quantizer;  // both or none, of one mode
  Precision precision = Precision::Default;  // refused by devices that cannot honour it
  const Tensor* group_offset = nullptr;      // must be null, as in TransformerEngine
  bool use_async_d2h_group_sizes = false;    // V1: at most 1024 groups
  // Which path; an error where it cannot run the call.
  GroupedGemmPath path = GroupedGemmPath::Auto;
  TilingSpec tiling;                    // extents of the tiles; none: the device's choice
  std::int64_t input_buffer_count = 2;  // slots of each input window; never changes a result
  std::string device;                   // as in GroupedMatmulOptions
  DeviceOptions run;                    // machine profile, schedule and checks of the interpreter
};

// The result of a call with what a report shows beside it.
struct GroupedGemmRun : GroupedMatmulRun {
  GroupedGemmPath path = GroupedGemmPath::V2;  // the path that ran
  std::string why_not_v2;                      // why V2 cannot run the call; empty where it can
  DimSizes out_first_dims, out_last_dims;  // extents of the result's groups along its merged axes
};

}  // namespace tessera
