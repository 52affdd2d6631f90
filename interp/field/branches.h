// The branches that max and min have in two programs.
#pragma once
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "core/report/expected.h"
#include "interp/field/both_runs.h"
#include "interp/field/orders.h"

namespace tessera::fields {

struct Branches {
  std::unordered_set<Residue> constants{};  // the literals of both programs
  // In the orders of levels_without_constants().
  std::vector<Comparisons::Group> maxima{}, minima{};
  std::int64_t comparisons = 0;  // per run of both programs
  bool is_truncated = false;     // there were too many operands to note
  // The operands of some max or min depend on which branch another one took.
  bool is_nested = false;
  // All operands are elements of the programs' operands and at most one constant, so that each
  // order is one of some real numbers.
  bool is_of_inputs = false;
};

// At this draw.
Expected<Branches> branches_of(const Side& a, const Side& b, const Draw& draw, bool has_exponents);

}  // namespace tessera::fields
