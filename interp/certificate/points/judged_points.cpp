#include "interp/certificate/points/judged_points.h"

#include "core/passes/expand.h"
#include "core/report/try.h"
#include "interp/certificate/points/point_structure.h"
#include "interp/certificate/points/points.h"

namespace tessera {

Expected<void> JudgedPoints::judge(const std::vector<Binding>& bindings,
                                   const RunOptions& options) {
  if (options.points == nullptr || !has_points(structured_)) return {};
  PointsVerdict& verdict = *options.points;
  if (std::optional<std::vector<ParallelLoop>> loops = independent_by_structure(structured_)) {
    verdict = {.loops = *std::move(loops), .landing = verdict.landing};
    return {};
  }
  if (!per_point_) per_point_ = TRY(expand(structured_, {.per_point = true}));
  verdict = TRY(judge_points(*per_point_, bindings, options, verdict.landing));
  return {};
}

}  // namespace tessera
