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

// Returns the status of a run: by its findings, if any; otherwise interrupted if a stop cut short
// the run or its analysis, budget if a limit ended the run, and ok if neither.
Status status_of(const DeviceReport& report);
// Returns the status for at least one finding: mismatch if a mismatch is the only one, unsupported
// if all are, otherwise finding.
Status status_of(const std::vector<Finding>& findings);
// Returns the status without findings: ok if the program ended, interrupted after a stop, otherwise
// budget.
Status status_of(RunEnd end);
// True if the run has no findings and was not cut short, so that its results are complete.
bool has_results(const DeviceReport& report);
// Checks the results with `judge` and returns its verdict; none if the check was interrupted. Shows
// the check in the progress line.
std::optional<Verdict> judged(const Console& console, const std::function<Verdict()>& judge);

inline constexpr std::size_t longest_schedule = 500;  // characters, in a command line

// Returns the command line that repeats the run with the same schedule: the file of --save-schedule
// if given, otherwise the recorded schedule if there is one of at most longest_schedule characters,
// otherwise the schedule as requested. Options for output files except --out are omitted.
std::string replay_line(const RunRequest& request, const RunResult& result);
// Sets the members `replay`, replay_line(), and `replay_words`, its words without the program's
// name and with the recorded schedule whatever its length.
void add_replay(Json& object, const RunRequest& request, const RunResult& result);
// Writes the schedule to the file of --save-schedule, if it is given and the run was simulated.
// Fails if the file cannot be written. Call it at most once.
Expected<void> save_schedule(const RunRequest& request, const DeviceReport& report);

// Adds the member `ended` if the run was cut short: the limit or signal, and the number of steps.
void add_end(Json& object, const Arguments& arguments, RunEnd end, const RunStats& stats);
// Adds the members on the run: wall_seconds, trace_hash (null unless simulated) and findings; of a
// simulated run also schedule, counts, verdict on all schedules, prints, replay, the reason if it
// was cut short, and with --timing its modelled time; warnings and node checks if there are any.
void add_run(Json& object, const Arguments& arguments, const RunRequest& request,
             const DeviceReport& report);
// Returns the lines "device", "schedule", "steps" ..., and a verdict on other schedules except
// `refuted`. Not included: the line "time", and the findings (finding_lines()).
std::string run_lines(const Arguments& arguments, const RunRequest& request,
                      const DeviceReport& report);
// Returns the compile notes, the findings and the replay; empty if there are no notes and no
// findings. With --all, findings that follow from others are shown too.
std::string finding_lines(const Arguments& arguments, const RunRequest& request,
                          const DeviceReport& report);

// Returns ", 2 cores each"; empty for one core per device.
std::string cores_words(const RunOptions& options);
// Returns one line of a report with its end: the label, the text from column 10. label: empty in a
// line that continues the one above.
std::string line(std::string_view label, std::string_view text);
// Returns the line on races that are not listed or were not searched; empty if neither applies.
std::string more_races_line(const Certificate& certificate);

}  // namespace tessera::cli
