// Options of a ragged dot product.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/oracle/reference_ragged.h"

namespace tessera {

// Roles of the axes of lhs and rhs, counted from 0: jax.lax.RaggedDotDimensionNumbers.
struct RaggedDotDims {
  // Axes at the same position of the lists are paired.
  std::vector<std::int64_t> lhs_contracting, rhs_contracting;
  std::vector<std::int64_t> lhs_batch, rhs_batch;
  std::vector<std::int64_t> lhs_ragged;  // exactly one axis, which is divided into groups
  // Group axis: one if the ragged axis is not contracted, otherwise none.
  std::vector<std::int64_t> rhs_group;
};

std::string_view name(RaggedMode mode);  // jax's name: "RAGGED_NONCONTRACTING"

// Options of a ragged dot product.
struct RaggedDotOptions {
  // Type of the result; none: the type that represents the values of both operands.
  std::optional<DType> preferred_element_type;
  Precision precision = Precision::Default;  // rejected by devices that do not support it
  const Tensor* group_offset = nullptr;      // shape () or (1,): first group to compute
  // Ragged contraction: number of groups to compute; none: all from the offset on. Other modes:
  // must be none; in mode NonContracting rhs has the groups.
  std::optional<std::int64_t> local_groups;
  TilingSpec tiling;                    // tile extents; none: chosen by the device
  std::int64_t input_buffer_count = 2;  // slots per input window; no effect on the result
  std::string device;                   // like in GroupedMatmulOptions
  DeviceOptions run;                    // machine profile, schedule and checks of the interpreter
};

}  // namespace tessera
