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

// pipeline: statement of the pipeline with the value. Empty if the value is not such a sum, or if
// its factors are so large that they may overflow.
std::optional<GridTerms> grid_terms(const Program& program, StmtId pipeline, ValueId id);

}  // namespace tessera
