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

// Which axes of lhs and rhs play which part, counted from 0: jax.lax.RaggedDotDimensionNumbers.
struct RaggedDotDims {
  // Axis i of one list goes with axis i of the other.
  std::vector<std::int64_t> lhs_contracting, rhs_contracting;
  std::vector<std::int64_t> lhs_batch, rhs_batch;
  std::vector<std::int64_t> lhs_ragged;  // exactly one axis: the one that is cut into groups
  // The axis of the groups: one where the ragged axis is not contracted, else none.
  std::vector<std::int64_t> rhs_group;
};

std::string_view name(RaggedMode mode);  // as in jax: "RAGGED_NONCONTRACTING"

// Options of a ragged dot product.
struct RaggedDotOptions {
  // Of the result; none: the type that holds both operands.
  std::optional<DType> preferred_element_type;
  Precision precision = Precision::Default;  // refused by devices that cannot honour it
  const Tensor* group_offset = nullptr;      // shape () or (1,): the first group that is computed
  // Contracting: how many groups are computed; none: all from the offset on. In the mode
  // NonContracting they are as many as rhs has.
  std::optional<std::int64_t> local_groups;
  TilingSpec tiling;                    // extents of the tiles; none: the device's choice
  std::int64_t input_buffer_count = 2;  // slots of each input window; never changes a result
  std::string device;                   // as in GroupedMatmulOptions
  DeviceOptions run;                    // machine profile, schedule and checks of the interpreter
};

}  // namespace tessera
