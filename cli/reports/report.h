// What every run of a program tells: where it ran, what it cost, what it found, and how to replay
// it.
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

// A finding, or unsupported when nothing else was found; budget or interrupted when the run ended
// in the middle; else ok.
Status status_of(const DeviceReport& report);
// Of work with these findings, at least one.
Status status_of(const std::vector<Finding>& findings);
// Of work that ended so, without a finding.
Status status_of(RunEnd end);
// Whether the results are what the program makes, to the end.
bool has_results(const DeviceReport& report);
// The verdict on them, or none: the check was interrupted.
std::optional<Verdict> judged(const Console& console, const std::function<Verdict()>& judge);

inline constexpr std::size_t longest_schedule = 500;  // characters that read as a command line

// The command line that runs this again under the same schedule. The schedule's text stands in it
// when it is short; else the file that --save-schedule wrote, or the schedule as it was asked for.
std::string replay_line(const RunRequest& request, const RunResult& result);
// Writes the schedule where --save-schedule says.
Expected<void> save_schedule(const RunRequest& request, const DeviceReport& report);

// `ended` of a run that ended in the middle: by what, and after how many steps.
void add_end(Json& object, const Arguments& arguments, RunEnd end, const RunStats& stats);
// wall_seconds, schedule, trace_hash, counts, findings and replay.
void add_run(Json& object, const Arguments& arguments, const RunRequest& request,
             const DeviceReport& report);
// "device", "schedule", "steps" ... for people; the time stands in the line `time`.
std::string run_lines(const Arguments& arguments, const RunRequest& request,
                      const DeviceReport& report);
// The findings, of which --all shows also what follows from others, and the replay.
std::string finding_lines(const Arguments& arguments, const RunRequest& request,
                          const DeviceReport& report);

// ", 2 cores each"; nothing for one core per device.
std::string cores_words(const RunOptions& options);
// One aligned line of a report.
std::string line(std::string_view label, std::string_view text);
// Of races beyond those that are listed; empty: there are none.
std::string more_races_line(const Certificate& certificate);

}  // namespace tessera::cli
