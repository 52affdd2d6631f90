// The progress line of runs: which phase they are in, how many steps are done, and how fast.
#pragma once
#include "cli/reports/progress.h"
#include "interp/run.h"

namespace tessera::cli {

class Watch {
 public:
  explicit Watch(Console& console) : progress_(console) {}
  // The run tells this object, which must outlive it.
  void attach(RunOptions& options);
  void hide() { progress_.hide(); }

 private:
  void tell(Phase phase, std::int64_t steps);

  Progress progress_;
  double begin_ = 0;               // of the run at hand ...
  std::int64_t steps_before_ = 0;  // ... which counts its steps from 0
};

}  // namespace tessera::cli
