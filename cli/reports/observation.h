// What watches a run from outside: the progress line, the text trace and the timeline.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "analysis/certificate/certifier.h"
#include "analysis/timeline/timeline_drawing.h"
#include "cli/args/run_request.h"
#include "cli/reports/console.h"
#include "cli/reports/prints.h"
#include "cli/reports/watch.h"
#include "interp/observe/trace_text.h"

namespace tessera::cli {

class Observation {
 public:
  // `more`: others who watch it, after those of the request.
  Observation(const RunRequest& request, Console& console, const std::vector<Observer*>& more = {});
  Observation(const Observation&) = delete;
  Observation& operator=(const Observation&) = delete;

  // Those of the request, with the observers; they point into this object.
  const RunOptions& options() const { return options_; }
  // After the run: what kept the trace and the timeline from being written to where --trace and
  // --timeline say.
  Expected<void> finish();

 private:
  Expected<void> finish_timeline();

  Console& console_;
  RunOptions options_;
  Watch watch_;
  std::shared_ptr<Prints> prints_;
  std::shared_ptr<OutputFile> trace_file_;
  Expected<void> written_;  // the first problem of the trace ends it
  TextTrace trace_;
  std::shared_ptr<OutputFile> timeline_file_;
  Expected<void> drawn_;  // the first problem of the timeline ends it
  TimelineDrawing drawing_;
  std::shared_ptr<TimingObserver> timing_;
  Certifier certifier_;
  std::shared_ptr<graph::NodeCheckReport> node_check_;
};

}  // namespace tessera::cli
