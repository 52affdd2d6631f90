// Explains the difference of one element: the elements of operands on which it depends in only one
// program, or differently in both. Found by further runs with changed operands.
#pragma once
#include "analysis/equality/both_runs.h"
#include "analysis/equality/equality.h"

namespace tessera::fields {

struct DifferingElement {
  BufferId a, b;  // the result in each program
  int device = 0, device_b = 0;
  std::int64_t element = 0, element_b = 0;  // row-major
};

// Returns the difference of an element: the last store to it in each program, if one is known, and
// the terms; none if the program is too large for the further runs. draw: a draw at which the
// element differs. has_exponents: as for run_over(). Fails if a run that searches for the last
// store is cut short, or if a further run fails.
Expected<Difference> trace_difference(const Side& a, const Side& b, const DifferingElement& at,
                                      const Draw& draw, bool has_exponents);

}  // namespace tessera::fields
