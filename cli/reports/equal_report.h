// Report of `equal`.
#pragma once
#include <cstdint>
#include <string>

#include "analysis/equality/equality.h"
#include "cli/equal_target.h"
#include "cli/reports/console.h"

namespace tessera::cli {

// Returns 0 for equal, 1 for different, 4 for not shown equal.
int exit_code(const fields::Equality& equality);
// Return the report on the verdict. seed: the seed of its random values.
std::string equal_lines(const ComparedProgram& a, const ComparedProgram& b,
                        const fields::Equality& equality, std::int64_t seed);
Json equal_json(const ComparedProgram& a, const ComparedProgram& b,
                const fields::Equality& equality, std::int64_t seed);

}  // namespace tessera::cli
