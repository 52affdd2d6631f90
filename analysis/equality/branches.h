// Branches of max and min in two programs.
#pragma once
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "analysis/equality/both_runs.h"
#include "analysis/equality/orders.h"
#include "core/report/expected.h"

namespace tessera::fields {

struct Branches {
  std::unordered_set<Residue> constants{};  // literals of both programs
  // Found in the orders of levels_without_constants().
  std::vector<Comparisons::Group> maxima{}, minima{};
  std::int64_t comparisons = 0;  // per run of both programs
  bool is_truncated = false;     // too many operands to store
  // True if the operands of some max or min depend on the branch of another one.
  bool is_nested = false;
};

// Returns the branches at this draw. Several orders are run to find operands that depend on
// branches. Fails if a run is cut short.
Expected<Branches> branches_of(const Side& a, const Side& b, const Draw& draw, bool has_exponents);

// True if all values that max and min compare at this draw, in its order, are elements of the
// programs' operands and at most one constant. The order is then possible for real numbers. False
// also if there are too many values to check. Fails if a run is cut short.
Expected<bool> compares_inputs(const Side& a, const Side& b, const Draw& draw, bool has_exponents);

}  // namespace tessera::fields
