// Roles of the axes of a ragged dot product.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/report/expected.h"
#include "kernels/ragged_dot/arguments.h"

namespace tessera {

// Axes of lhs, relative to the ragged one. Each list is in lhs's order or in the order of the
// caller's list.
struct RaggedAxes {
  std::vector<std::int64_t> rest;  // neither batch nor contracting
  // Axes before and after the ragged axis, in its list. A ragged batch has no `after`.
  std::vector<std::int64_t> before, after;
};

// Returns the axes of all lists, in order.
std::vector<std::int64_t> joined(std::initializer_list<std::vector<std::int64_t>> lists);
// Returns the extents of these axes, which the tensor must have.
Shape extents(const Tensor& tensor, const std::vector<std::int64_t>& axes);

// Returns the role of the ragged axis of lhs. Fails with ErrorCode::invalid_type unless there is
// exactly one ragged axis, and for batch or contracting axes that an operand does not have, that
// are repeated, or that are both.
Expected<RaggedMode> ragged_mode(const RaggedArguments& given);
// Sorts the axes of lhs by their roles. mode: result of ragged_mode(), which must accept the
// arguments.
RaggedAxes ragged_axes(const RaggedArguments& given, RaggedMode mode);

// Checks that rhs has one group axis if the ragged axis is not contracted, and none otherwise. The
// group axis must exist in rhs and be neither batch nor contracting. The errors here and below have
// ErrorCode::invalid_type.
Expected<void> check_group_axis(const RaggedArguments& given, RaggedMode mode);

// Checks that lhs and rhs have equally many batch axes, and that batch and contracting axes have
// the same extents in lhs and rhs. The error has both extents. Requires ragged_mode().
Expected<void> check_paired_extents(const RaggedArguments& given);

}  // namespace tessera
