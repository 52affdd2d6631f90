// Request to run a program, from the options shared by operations and `run`.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "analysis/certificate/certificate.h"
#include "analysis/node_check/node_check_report.h"
#include "analysis/timeline/cost.h"
#include "analysis/timeline/deeper_windows.h"
#include "analysis/timeline/timing.h"
#include "cli/args/options.h"
#include "core/host/output_file.h"
#include "core/report/expected.h"
#include "devices/device.h"
#include "devices/profiles/profile.h"
#include "interp/findings/compile_rules.h"
#include "interp/run.h"

namespace tessera::cli {

class Prints;  // cli/reports/prints.h

// Max events of a run that is analysed by default; the analysis takes a fraction of a second.
inline constexpr std::int64_t certified_events = 200'000;

struct RunRequest {
  Invocation invocation;           // complete command line; printed in reports to repeat the run
  const Device* device = nullptr;  // null: the Eigen reference instead of a run
  std::string why;                 // unavailable preferred devices, if --device is not given
  Profile profile;
  RunOptions options;              // interpreter options
  std::string schedule = "eager";  // as given; options.schedule: the contents of replay:FILE
  std::string save_schedule;       // a file, or empty
  std::shared_ptr<OutputFile> schedule_file;  // opened before the run
  bool certifies = true;                      // analyse all schedules
  CopyGranularity certified_granularity =
      CertifyOptions{}.granularity;        // copy granularity of the analysis
  std::string trace;                       // a file, "-" for standard error, or empty
  std::shared_ptr<OutputFile> trace_file;  // opened before the run
  // With --timing, --timeline or --cost: observes the run and reports after it.
  std::shared_ptr<TimingObserver> timing;
  // With --cost: distribution of the modelled time, and the effect of deeper windows on it.
  std::shared_ptr<CostListener> cost;
  std::shared_ptr<DeeperWindowsObserver> deeper;
  std::shared_ptr<CompileNotes> compile_notes;  // with `timing`
  // With --check-nodes: comparison of the device's nodes with the interpreter.
  std::shared_ptr<graph::NodeCheckReport> node_check;
  std::shared_ptr<Prints> prints;             // output of `print` in a simulated run
  std::shared_ptr<OutputFile> timeline_file;  // --timeline; opened before the run

  // Returns the name of the device, or "reference".
  std::string_view device_name() const;
  // True if the run is simulated.
  bool is_simulated() const;
};

// Reads the request from the options, opens its output files, and sets the thread count of the
// process. Fails for options that the run cannot honour on its device or with --unchecked or
// --no-math, with ErrorCode::environment for a device that is not available here, and for wrong
// values. with_reference: --device also accepts `reference`, which gives a null `device`.
Expected<RunRequest> run_request(const Arguments& arguments, bool with_reference);

}  // namespace tessera::cli
