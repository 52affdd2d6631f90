// The observers of a run that a command line requests: progress line, text trace, timeline and
// others.
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
  // Creates the observers and the options for one run. The request, the console and the observers
  // must outlive this object. more: further observers, called after the observers of the request.
  Observation(const RunRequest& request, Console& console, const std::vector<Observer*>& more = {});
  Observation(const Observation&) = delete;
  Observation& operator=(const Observation&) = delete;

  // The options of the request with all observers. They point into this object.
  const RunOptions& options() const { return options_; }
  // Completes the output after the run: hides the progress line, prints the notes on omitted
  // prints, and commits the files. Fails if the file of --trace or of --timeline could not be
  // written. With --timeline it also fails with ErrorCode::interrupted if the run did not complete,
  // and with ErrorCode::runtime if its modelled time is unknown. Call it at most once.
  Expected<void> finish();

 private:
  Expected<void> finish_timeline();

  Console& console_;
  RunOptions options_;
  Watch watch_;
  std::shared_ptr<Prints> prints_;
  std::shared_ptr<OutputFile> trace_file_;
  Expected<void> written_;  // first error of the trace, which ends it
  TextTrace trace_;
  std::shared_ptr<OutputFile> timeline_file_;
  Expected<void> drawn_;                      // first error of the timeline, which ends it
  std::unique_ptr<TraceFile> trace_of_time_;  // to timeline_file_
  TimelineDrawing drawing_;
  std::shared_ptr<TimingObserver> timing_;
  Certifier certifier_;
  std::shared_ptr<graph::NodeCheckReport> node_check_;
};

}  // namespace tessera::cli
