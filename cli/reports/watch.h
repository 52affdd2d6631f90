// Progress line of runs: phase, number of steps and speed.
#pragma once
#include "cli/reports/progress.h"
#include "interp/run.h"

namespace tessera::cli {

class Watch {
 public:
  explicit Watch(Console& console) : progress_(console) {}
  // Sets the progress callback of the run, which shows its phase and steps. This object must
  // outlive the run.
  void attach(RunOptions& options);
  void hide() { progress_.hide(); }

 private:
  void tell(Phase phase, std::int64_t steps);

  Progress progress_;
  double begin_ = 0;               // start of the current run, in seconds of progress_
  std::int64_t steps_before_ = 0;  // at the last call; each run counts from 0
};

}  // namespace tessera::cli
