// How values of a pipeline depend on its grid.
#pragma once
#include <cstdint>
#include <map>
#include <optional>

#include "core/program/program.h"

namespace tessera {

// A value as a sum of multiples of grid dimensions and something that no point changes: the factor
// of each dimension.
using GridTerms = std::map<ValueId, std::int64_t>;

// Of a value in the pipeline, which is named by its statement. Nothing: it is no such sum, or has
// factors that are too large to be sure of.
std::optional<GridTerms> grid_terms(const Program& program, StmtId pipeline, ValueId id);

}  // namespace tessera
