#include "cli/reports/watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/numbers.h"

namespace tessera::cli {

void Watch::attach(RunOptions& options) {
  options.progress = [this](Phase phase, std::int64_t steps) { tell(phase, steps); };
}

void Watch::tell(Phase phase, std::int64_t steps) {
  if (steps < steps_before_ || steps_before_ == 0) begin_ = progress_.elapsed();
  steps_before_ = steps;
  const std::string done = human_count(static_cast<double>(steps));
  if (phase == Phase::analysing) return progress_.show(fmt::format("analysing {} steps", done));
  if (!progress_.is_due()) return;
  const double rate = static_cast<double>(steps) / std::max(progress_.elapsed() - begin_, 1e-3);
  progress_.show(fmt::format("running: {} steps, {} a second", done, human_count(rate)));
}

}  // namespace tessera::cli
