// The configuration of one call of a grouped matmul, by the chain, for callers who come once.
#pragma once
#include <optional>

#include "core/report/expected.h"
#include "kernels/tuning/grouped_tuning.h"
#include "kernels/tuning/selection.h"

namespace tessera {

// `given` overrides all; without `is_shipped` (a kernel of the caller's own) neither the user's
// cache nor tuning answers. What nobody measured is not kept.
Expected<Decision<GroupedMatmulConfig>> choose_once(
    const GroupedTuningProblem& problem, const std::optional<GroupedMatmulConfig>& given = {},
    bool is_shipped = true);

}  // namespace tessera
