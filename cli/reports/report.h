// Common part of the reports on runs: device, cost, findings and replay.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/certificate/certificate.h"
#include "cli/args/options.h"
#include "cli/args/run_request.h"
#include "cli/reports/console.h"
#include "devices/device.h"
#include "kernels/oracle/verdict.h"

namespace tessera::cli {

// Status of a run: by its findings, if any; otherwise budget or interrupted if the run was cut
// short, and ok if not.
Status status_of(const DeviceReport& report);
// Status for at least one finding: mismatch if it is the only one, unsupported if all are,
// otherwise finding.
Status status_of(const std::vector<Finding>& findings);
// Status without findings.
Status status_of(RunEnd end);
// True if the run has no findings and was not cut short, so that its results are complete.
bool has_results(const DeviceReport& report);
// Checks the results with `judge`; none if the check was interrupted.
std::optional<Verdict> judged(const Console& console, const std::function<Verdict()>& judge);

inline constexpr std::size_t longest_schedule = 500;  // characters, in a command line

// The command line that repeats the run with the same schedule: the file of --save-schedule if
// given, otherwise the text of the schedule if it is short, otherwise the schedule as requested.
std::string replay_line(const RunRequest& request, const RunResult& result);
// Writes the schedule to the file of --save-schedule, if given.
Expected<void> save_schedule(const RunRequest& request, const DeviceReport& report);

// Adds the member `ended` if the run was cut short: the limit or signal, and the number of steps.
void add_end(Json& object, const Arguments& arguments, RunEnd end, const RunStats& stats);
// Adds wall_seconds, schedule, trace_hash, counts, findings and replay.
void add_run(Json& object, const Arguments& arguments, const RunRequest& request,
             const DeviceReport& report);
// Lines "device", "schedule", "steps" ...; the line "time" is separate.
std::string run_lines(const Arguments& arguments, const RunRequest& request,
                      const DeviceReport& report);
// The findings and the replay. --all also shows findings that follow from others.
std::string finding_lines(const Arguments& arguments, const RunRequest& request,
                          const DeviceReport& report);

// ", 2 cores each"; nothing for one core per device.
std::string cores_words(const RunOptions& options);
// One aligned line of a report.
std::string line(std::string_view label, std::string_view text);
// Line on races that are not listed; empty if there are none.
std::string more_races_line(const Certificate& certificate);

}  // namespace tessera::cli
