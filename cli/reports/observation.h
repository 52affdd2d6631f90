// What watches a run from outside: the progress line and the text trace.
#pragma once
#include <memory>

#include "cli/args/run_request.h"
#include "cli/reports/console.h"
#include "cli/reports/watch.h"
#include "interp/certificate/certifier.h"
#include "interp/observe/trace_text.h"

namespace tessera::cli {

class Observation {
 public:
  Observation(const RunRequest& request, Console& console);
  Observation(const Observation&) = delete;
  Observation& operator=(const Observation&) = delete;

  // Those of the request, with the observers; they point into this object.
  const RunOptions& options() const { return options_; }
  // After the run: closes the trace; the errors say why it is not where --trace names.
  Expected<void> finish();

 private:
  Console& console_;
  RunOptions options_;
  Watch watch_;
  std::shared_ptr<OutputFile> trace_file_;
  Expected<void> written_;  // the first problem of the trace ends it
  TextTrace trace_;
  PointsVerdict points_;
  Certifier certifier_;
};

}  // namespace tessera::cli
