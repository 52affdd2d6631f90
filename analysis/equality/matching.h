// Matches the operands and results of two programs.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/equality/both_runs.h"
#include "core/report/expected.h"

namespace tessera::fields {

// Result of both programs. is_stacked: B has the results of all devices of A, one after the other.
struct Matched {
  BufferId a, b;
  std::string name;
  std::int64_t elements = 0;  // per device of A
  bool is_stacked = false;
};

// Returns the results that both programs have, in the order of A. Fails if there is none, or if the
// shapes of one differ (dimensions of one element do not count).
Expected<std::vector<Matched>> match_results(const Side& a, const Side& b);

// Copies the integers of A to B, and sets the distribution of floats (Side::cuts) in both. If only
// A runs on several devices, an operand of B is a stack if its first dimension is the devices of A.
// Otherwise all devices of A have the same values; names of such float operands are added to
// `alike`. Returns the operands of only one program. Fails if shapes or integer types differ, if
// only one of them is an integer, or if devices of A have different integers for an operand that B
// has once. The runs must have all operands.
Expected<std::vector<std::string>> match_operands(Side& a, Side& b,
                                                  std::vector<std::string>& alike);

// Returns the names of the results of only one program, of A first.
std::vector<std::string> uncompared_results(const Side& a, const Side& b);

}  // namespace tessera::fields
