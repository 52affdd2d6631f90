// Which part of a ragged dot product each axis plays.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/report/expected.h"
#include "kernels/ragged_dot/arguments.h"

namespace tessera {

// Axes of lhs around the ragged one, each list in lhs's order or in that of the caller's list.
struct RaggedAxes {
  std::vector<std::int64_t> rest;           // neither batch nor contracting
  std::vector<std::int64_t> before, after;  // the ragged axis, among those of its part
};

std::vector<std::int64_t> joined(std::initializer_list<std::vector<std::int64_t>> lists);
// Of the axes named, which the tensor has.
Shape extents(const Tensor& tensor, const std::vector<std::int64_t>& axes);

// What the ragged axis of lhs is. Errors are other than one ragged axis, and axes of batch and
// contraction that an operand lacks or that are named twice.
Expected<RaggedMode> ragged_mode(const RaggedArguments& given);
// Of lists that ragged_mode accepts.
RaggedAxes ragged_axes(const RaggedArguments& given, RaggedMode mode);

// Whether rhs has one axis of groups where the ragged one is not contracted, and none otherwise. An
// error is another number of them, or one that rhs lacks or batches or contracts.
Expected<void> check_group_axis(const RaggedArguments& given, RaggedMode mode);

// Whether batch and contraction have the same extents in lhs and in rhs; else an error with both.
Expected<void> check_paired_extents(const RaggedArguments& given);

}  // namespace tessera
