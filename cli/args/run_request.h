// How a program is to be run: the options that the operations and `run` share.
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

// The events of a run that are analysed without being asked for: a fraction of a second's work.
inline constexpr std::int64_t certified_events = 200'000;

struct RunRequest {
  Invocation invocation;           // what asks for it, complete: a report prints it to be run again
  const Device* device = nullptr;  // null: the Eigen reference takes the place of a run
  std::string why;                 // which devices before it cannot run, when the caller named none
  Profile profile;
  RunOptions options;                         // of the interpreter
  std::string schedule = "eager";             // as given; options.schedule holds what a file said
  std::string save_schedule;                  // a file, or empty
  std::shared_ptr<OutputFile> schedule_file;  // open for it since before the run
  bool certifies = true;                      // every run tells what it proves of all schedules ...
  CopyGranularity certified_granularity =
      CertifyOptions{}.granularity;        // ... in which copies land so
  std::string trace;                       // a file, "-" for standard error, or empty
  std::shared_ptr<OutputFile> trace_file;  // open for it since before the run
  // With --timing, --timeline or --cost: it watches the run, and tells after it.
  std::shared_ptr<TimingObserver> timing;
  // With --cost: where the modelled time goes, and what more slots for windows would make of it.
  std::shared_ptr<CostListener> cost;
  std::shared_ptr<DeeperWindowsObserver> deeper;
  std::shared_ptr<CompileNotes> compile_notes;  // with `timing`
  // With --check-nodes: how what the device did compares with the interpreter.
  std::shared_ptr<graph::NodeCheckReport> node_check;
  std::shared_ptr<Prints> prints;             // what the program prints, of a run that is simulated
  std::shared_ptr<OutputFile> timeline_file;  // of --timeline, open for it since before the run

  std::string_view device_name() const;
  // Whether the run is simulated: the options below are for such runs alone.
  bool is_simulated() const;
};

// `with_reference`: whether --device takes reference as well.
Expected<RunRequest> run_request(const Arguments& arguments, bool with_reference);

}  // namespace tessera::cli
