// Operands and results of built-in kernels, as declared in their headers.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/args/said_extents.h"
#include "core/data/tensor.h"

namespace tessera::cli {

// An axis of an operand: `extent / shares` elements.
struct Axis {
  Extent* extent;
  std::int64_t shares = 1;
};

struct HeaderOperand {
  std::vector<Axis> axes;
  std::optional<DType> type;  // none: a parameter of the kernel

  // Returns the shape of the operand. Requires values of all extents.
  Shape shape() const;
};

// The parameters of a kernel.
struct HeaderParameters {
  // Returns the axis of a parameter that is an extent of operands. Its extent must outlive the
  // HeaderOperand.
  std::function<Axis(std::string_view parameter)> axis;
  // Returns the value of a parameter that is a factor or divisor of an extent, or the condition of
  // a declaration.
  std::function<std::int64_t(std::string_view parameter)> number;
};
// Returns the axes and the type of an operand or result, from the header of a built-in kernel.
// The kernel and the operand must exist. Requires extents of the forms `parameter`, `number *
// parameter` and `parameter / number`.
HeaderOperand header_operand(std::string_view kernel, std::string_view operand,
                             const HeaderParameters& parameters);

}  // namespace tessera::cli
