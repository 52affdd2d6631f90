// How a ragged dot product is to be computed.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/oracle/reference_ragged.h"

namespace tessera {

// Which axes of lhs and rhs play which part; every list counts axes from 0.
struct RaggedDotDims {
  std::vector<std::int64_t> lhs_contracting, rhs_contracting;
  std::vector<std::int64_t> lhs_batch, rhs_batch;
  std::vector<std::int64_t> lhs_ragged;  // exactly one axis
  std::vector<std::int64_t>
      rhs_group;  // one axis where the ragged one is not contracted, else none
};

std::string_view name(RaggedMode mode);  // "RAGGED_NONCONTRACTING"

struct RaggedDotOptions {
  std::optional<DType> preferred_element_type;  // none: the type that holds both operands
  Precision precision = Precision::Default;
  const Tensor* group_offset = nullptr;  // shape () or (1,): the first group that is computed
  // Contracting: how many groups are computed; none: all from the offset on. NonContracting takes
  // as many as rhs has.
  std::optional<std::int64_t> local_groups;
  TilingSpec tiling;
  std::int64_t input_buffer_count = 2;
  std::string device;  // as in GroupedMatmulOptions
  DeviceOptions run;
};

}  // namespace tessera
