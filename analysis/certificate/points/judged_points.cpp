#include "analysis/certificate/points/judged_points.h"

#include <optional>

#include "analysis/certificate/points/point_structure.h"
#include "analysis/certificate/points/points.h"
#include "analysis/certificate/points/points_observer.h"
#include "core/passes/at_once.h"
#include "core/report/try.h"
#include "interp/run.h"

namespace tessera {

bool asks_at_once(const RunOptions& options) {
  return options.rewrite.target<MoveAtOnce>() != nullptr;
}

Expected<std::shared_ptr<const PointsVerdict>> JudgedPoints::judge(
    const std::vector<Binding>& bindings, const RunOptions& options) {
  using Verdict = std::shared_ptr<const PointsVerdict>;
  if (!options.checks.loops || !has_points(*structured_)) return Verdict();
  const CopyGranularity granularity = *options.checks.loops;
  if (std::optional<std::vector<ParallelLoop>> loops = independent_by_structure(*structured_))
    return std::make_shared<const PointsVerdict>(
        PointsVerdict{.loops = *std::move(loops), .granularity = granularity});
  const bool at_once = asks_at_once(options);
  std::optional<Program>& per_point = (at_once ? at_once_ : expanded_).per_point;
  const Expansion how{.per_point = true};
  if (!per_point)
    per_point = TRY(at_once ? expand_at_once(*structured_, how) : expand(*structured_, how));
  return std::make_shared<const PointsVerdict>(
      TRY(judge_points(*per_point, bindings, options, granularity)));
}

namespace {

// Adds the verdict of the observed run to its result.
class PointsOfRun final : public PointsObserver {
 public:
  explicit PointsOfRun(CopyGranularity granularity) : granularity_(granularity) {}
  void end(RunResult& result) override {
    PointsObserver::end(result);
    PointsVerdict of_run = verdict();
    of_run.granularity = granularity_;
    result.points = std::make_shared<const PointsVerdict>(std::move(of_run));
  }

 private:
  CopyGranularity granularity_;
};

// Adds a verdict that was reached before the run to the result.
class KnownPoints final : public Observer {
 public:
  explicit KnownPoints(std::shared_ptr<const PointsVerdict> points) : points_(std::move(points)) {}
  bool sees_events() const override { return false; }
  void on(const Event&) override {}
  void end(RunResult& result) override { result.points = points_; }

 private:
  const std::shared_ptr<const PointsVerdict> points_;
};

// Inserts the observer first, because other observers use the verdict.
void insert_first(Observer& observer, RunOptions& options) {
  options.observers.insert(options.observers.begin(), &observer);
}

// True if the copies of an iteration complete before the next one begins.
bool is_one_by_one(const RunOptions& options) {
  return options.schedule == "eager" && options.copies.granularity == CopyGranularity::whole &&
         options.copies.order == DmaOrder::unordered && options.machine.slow_device < 0;
}

}  // namespace

Expected<RunResult> JudgedPoints::run_at_once(const std::vector<Binding>& bindings,
                                              const RunOptions& options) {
  if (!at_once_.whole) at_once_.whole = TRY(expand_at_once(*structured_));
  RunOptions as_it_is = options;
  const MoveAtOnce& form = *options.rewrite.target<MoveAtOnce>();
  Shortcuts shortcuts = form.shortcuts;
  shortcuts.batch_control_loads &= is_at_once(*at_once_.whole) && is_one_by_one(options) &&
                                   options.checks.enabled && options.machine.loop_workers == 0 &&
                                   options.math == Math::none && !options.computes_values;
  as_it_is.rewrite = nullptr;
  const bool may_tell = options.checks.loops && has_points(*structured_) &&
                        is_one_by_one(options) && tells_points(*structured_);
  std::optional<PointsOfRun> of_run;
  std::optional<KnownPoints> known;
  if (may_tell && !independent_by_structure(*structured_)) {
    insert_first(of_run.emplace(*options.checks.loops), as_it_is);
  } else {
    if (auto points = TRY(judge(bindings, options)))
      insert_first(known.emplace(std::move(points)), as_it_is);
  }
  return run_planned(*at_once_.whole, bindings, as_it_is, shortcuts);
}

Expected<RunResult> JudgedPoints::run(const Program& expanded, const std::vector<Binding>& bindings,
                                      const RunOptions& options) {
  // An empty structured program has no other form.
  if (asks_at_once(options) && structured_->body.size() > 0) return run_at_once(bindings, options);
  auto points = TRY(judge(bindings, options));
  if (points == nullptr) return tessera::run(expanded, bindings, options);
  KnownPoints known(std::move(points));
  RunOptions observed = options;
  insert_first(known, observed);
  return tessera::run(expanded, bindings, observed);
}

}  // namespace tessera
