// Why one element differs: on which elements of the operands it depends in one program and not, or
// otherwise, in the other. Found by changing operands and running again.
#pragma once
#include "analysis/equality/both_runs.h"
#include "analysis/equality/equality.h"

namespace tessera::fields {

struct DifferingElement {
  BufferId a, b;  // the result in either program
  int device = 0, device_b = 0;
  std::int64_t element = 0, element_b = 0;  // row-major
};

Expected<Difference> trace_difference(const Side& a, const Side& b, const DifferingElement& at,
                                      const Draw& draw, bool has_exponents);

}  // namespace tessera::fields
