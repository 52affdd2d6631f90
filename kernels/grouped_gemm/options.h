// How a grouped GEMM is to be computed, and what there is to tell of one that was.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "devices/device.h"
#include "kernels/grouped_gemm/grouped_tensor.h"
#include "kernels/grouped_matmul/grouped_matmul.h"

namespace tessera {

// V1: a product for each group, whose sizes the host reads. V2: one kernel for all groups, which
// reads the sizes where they lie. Auto: V2 where it can, else V1.
enum class GroupedGemmPath : std::uint8_t { Auto, V1, V2 };

struct GroupedGemmOptions {
  std::vector<std::int64_t> lhs_contracting{1}, rhs_contracting{2};
  const Tensor* alpha = nullptr;  // f32 [groups]; none: ones
  const Tensor* beta = nullptr;   // f32 [groups]; none: zeros. c is read where it is not 0
  const Tensor* c = nullptr;      // of the result's shape and type
  const Tensor* bias = nullptr;   // [groups, columns]: f32, bf16 or f16
  std::optional<DType> preferred_element_type;               // none: what the operands stand for
  std::optional<QuantizeSpec> lhs_quantizer, rhs_quantizer;  // both or none, of one mode
  Precision precision = Precision::Default;
  const Tensor* group_offset = nullptr;    // refused, as by the source
  bool use_async_d2h_group_sizes = false;  // V1: at most 1024 groups
  GroupedGemmPath path = GroupedGemmPath::Auto;
  TilingSpec tiling;
  std::int64_t input_buffer_count = 2;
  std::string device;  // as in GroupedMatmulOptions
  DeviceOptions run;
};

struct GroupedGemmRun : GroupedMatmulRun {
  GroupedGemmPath path = GroupedGemmPath::V2;
  std::string why_not_v2;                  // when the path is V1
  DimSizes out_first_dims, out_last_dims;  // of the result, inferred
};

}  // namespace tessera
