// Dependence of values in a pipeline on its grid.
#pragma once
#include <cstdint>
#include <map>
#include <optional>

#include "core/program/program.h"

namespace tessera {

// Factor of each grid dimension in a value that is a sum of multiples of dimensions and a part that
// no iteration changes.
using GridTerms = std::map<ValueId, std::int64_t>;

// Returns the factors of the grid dimensions in a value. nullopt if the value is not computed as
// such a sum (by Add, Sub, and Mul with a constant), or if its factors are so large that they may
// overflow. pipeline: statement of the pipeline with the value.
std::optional<GridTerms> grid_terms(const Program& program, StmtId pipeline, ValueId id);

}  // namespace tessera
