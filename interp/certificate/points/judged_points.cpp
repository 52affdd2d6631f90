#include "interp/certificate/points/judged_points.h"

#include <optional>

#include "core/passes/at_once.h"
#include "core/report/try.h"
#include "interp/certificate/points/point_structure.h"
#include "interp/certificate/points/points.h"
#include "interp/certificate/points/points_observer.h"
#include "interp/observe/relayed_observers.h"
#include "interp/run.h"

namespace tessera {

bool asks_at_once(const RunOptions& options) {
  return options.rewrite.target<MoveAtOnce>() != nullptr;
}

Expected<void> JudgedPoints::judge(const std::vector<Binding>& bindings,
                                   const RunOptions& options) {
  if (options.points == nullptr || !has_points(*structured_)) return {};
  PointsVerdict& verdict = *options.points;
  if (std::optional<std::vector<ParallelLoop>> loops = independent_by_structure(*structured_)) {
    verdict = {.loops = *std::move(loops), .landing = verdict.landing};
    return {};
  }
  const bool at_once = asks_at_once(options);
  std::optional<Program>& per_point = (at_once ? at_once_ : expanded_).per_point;
  const Expansion how{.per_point = true};
  if (!per_point)
    per_point = TRY(at_once ? expand_at_once(*structured_, how) : expand(*structured_, how));
  verdict = TRY(judge_points(*per_point, bindings, options, verdict.landing));
  return {};
}

namespace {

// Gives the verdict of the run that it observes to who is asked for it at the end of the run.
class PointsOfRun final : public PointsObserver {
 public:
  explicit PointsOfRun(PointsVerdict& verdict) : of_run_(verdict) {}
  void end(RunResult& result) override {
    PointsObserver::end(result);
    const Landing landing = of_run_.landing;
    of_run_ = verdict();
    of_run_.landing = landing;
  }

 private:
  PointsVerdict& of_run_;
};

// Copies of a point are complete before the next begins.
bool is_one_by_one(const RunOptions& options) {
  return options.schedule == "eager" && options.landing == Landing::whole &&
         options.dma_order == DmaOrder::unordered && options.slow_device < 0;
}

}  // namespace

Expected<RunResult> JudgedPoints::run_at_once(const std::vector<Binding>& bindings,
                                              const RunOptions& options) {
  if (!at_once_.whole) at_once_.whole = TRY(expand_at_once(*structured_));
  RunOptions as_it_is = options;
  const MoveAtOnce& form = *options.rewrite.target<MoveAtOnce>();
  as_it_is.knows_patterns = form.knows_patterns;
  as_it_is.joins_loads = form.joins_loads && is_at_once(*at_once_.whole) &&
                         is_one_by_one(options) && options.checked && options.point_cores == 0 &&
                         options.math == Math::none && !options.wants_values;
  as_it_is.rewrite = nullptr;
  const bool may_tell = options.points != nullptr && has_points(*structured_) &&
                        is_one_by_one(options) && tells_points(*structured_);
  std::optional<PointsOfRun> points;
  if (may_tell && !independent_by_structure(*structured_)) {
    // Before all that asks for the verdict.
    points.emplace(*options.points);
    as_it_is.observers.insert(as_it_is.observers.begin(), &*points);
    as_it_is.tells_private = true;
  } else {
    TRY(judge(bindings, options));
  }
  if (as_it_is.observers.empty() || !is_at_once(*at_once_.whole))
    return tessera::run(*at_once_.whole, bindings, as_it_is);
  RelayedObservers observers(as_it_is.observers);
  as_it_is.observers = {&observers};
  return tessera::run(*at_once_.whole, bindings, as_it_is);
}

Expected<RunResult> JudgedPoints::run(const Program& expanded, const std::vector<Binding>& bindings,
                                      const RunOptions& options) {
  // Whoever has the expanded program alone has no other form of it.
  if (asks_at_once(options) && structured_->body.size() > 0) return run_at_once(bindings, options);
  TRY(judge(bindings, options));
  return tessera::run(expanded, bindings, options);
}

}  // namespace tessera
