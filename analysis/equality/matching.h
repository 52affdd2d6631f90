// Which operands and results of two programs are the same.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/equality/both_runs.h"
#include "core/report/expected.h"

namespace tessera::fields {

// A result that both programs have. B may have those of all devices of A, one behind the other.
struct Matched {
  BufferId a, b;
  std::string name;
  std::int64_t elements = 0;  // on a device of A
  bool is_stacked = false;
};

// Errors: no result of one name, or another shape.
Expected<std::vector<Matched>> match_results(const Side& a, const Side& b);

// Gives B the integers of A, and either side how its floats are cut. An operand of B on one device
// that has as many elements as all devices of A together stands for all; one with as many as each
// is the same on each: its name is added to `alike`. Returns operands that one program alone has.
// Errors: other shapes or types.
Expected<std::vector<std::string>> match_operands(Side& a, Side& b,
                                                  std::vector<std::string>& alike);

// Results that one program alone has.
std::vector<std::string> uncompared_results(const Side& a, const Side& b);

}  // namespace tessera::fields
