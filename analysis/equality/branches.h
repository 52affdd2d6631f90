// The branches that max and min have in two programs.
#pragma once
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "analysis/equality/both_runs.h"
#include "analysis/equality/orders.h"
#include "core/report/expected.h"

namespace tessera::fields {

struct Branches {
  std::unordered_set<Residue> constants{};  // the literals of both programs
  // In the orders of levels_without_constants().
  std::vector<Comparisons::Group> maxima{}, minima{};
  std::int64_t comparisons = 0;  // per run of both programs
  bool is_truncated = false;     // there were too many operands to note
  // The operands of some max or min depend on which branch another one took.
  bool is_nested = false;
};

// At this draw. Dependence of operands on branches is looked for in several orders.
Expected<Branches> branches_of(const Side& a, const Side& b, const Draw& draw, bool has_exponents);

// True if all values that max and min compare at this draw, in its order, are elements of the
// programs' operands and at most one constant: the order is then one of some real numbers.
Expected<bool> compares_inputs(const Side& a, const Side& b, const Draw& draw, bool has_exponents);

}  // namespace tessera::fields
