#include "cli/reports/report.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <vector>

#include "cli/args/limits.h"
#include "cli/reports/coverage_report.h"
#include "cli/reports/finding_text.h"
#include "cli/reports/node_check_text.h"
#include "cli/reports/prints.h"
#include "cli/reports/progress.h"
#include "cli/reports/timing_report.h"
#include "cli/reports/verify_words.h"
#include "cli/verify_target.h"
#include "core/report/try.h"
#include "devices/teams.h"
#include "interp/schedule/strategies.h"
#include "text/numbers.h"

namespace tessera::cli {

using std::string_view_literals::operator""sv;

Status status_of(RunEnd end) {
  return end == RunEnd::program ? Status::ok
         : end == RunEnd::stop  ? Status::interrupted
                                : Status::budget;
}

Status status_of(const std::vector<Finding>& findings) {
  // A wrong result alone is not a defect of the program.
  if (findings.size() == 1 && findings.front().kind == FindingKind::mismatch)
    return Status::mismatch;
  return all_have(findings, FindingTrait::unsupported) ? Status::unsupported : Status::finding;
}

bool has_results(const DeviceReport& report) {
  const bool is_complete = !report.simulated || report.simulated->end == RunEnd::program;
  return report.findings.empty() && is_complete;
}

std::optional<Verdict> judged(const Console& console, const std::function<Verdict()>& judge) try {
  Progress::phase(console, "comparing with the reference");
  const Verdict verdict = judge();
  Progress::phase(console, {});
  return verdict;
} catch (const Interrupted&) {
  return std::nullopt;
}

Status status_of(const DeviceReport& report) {
  if (report.findings.empty()) {
    const RunResult* const result = report.simulated.get();
    if (result == nullptr) return Status::ok;
    const bool is_truncated = result->certificate && result->certificate->end == RunEnd::stop;
    return status_of(is_truncated ? RunEnd::stop : result->end);
  }
  return status_of(report.findings);
}

namespace {

Invocation replay_of(const RunRequest& request, const std::string& schedule) {
  return request.invocation
      .without({"save-schedule", "trace", "timeline", "json", "debug-on-finding", "dump"})
      .with("schedule", schedule);
}

}  // namespace

std::string replay_line(const RunRequest& request, const RunResult& result) {
  std::string schedule = request.schedule;
  if (!request.save_schedule.empty()) {
    schedule = "replay:" + request.save_schedule;
  } else if (!result.schedule.empty() && result.schedule.size() <= longest_schedule) {
    schedule = result.schedule;
  }
  return replay_of(request, schedule).line();
}

void add_replay(Json& object, const RunRequest& request, const RunResult& result) {
  const std::string& schedule = result.schedule.empty() ? request.schedule : result.schedule;
  object["replay"] = replay_line(request, result);
  object["replay_words"] = Json(replay_of(request, schedule).words());
}

Expected<void> save_schedule(const RunRequest& request, const DeviceReport& report) {
  if (request.schedule_file == nullptr || !report.simulated) return {};
  for (const std::string_view text : {std::string_view(report.simulated->schedule), "\n"sv})
    TRY(request.schedule_file->append(text));
  return request.schedule_file->commit();
}

void add_end(Json& object, const Arguments& arguments, RunEnd end, const RunStats& stats) {
  constexpr std::array<std::string_view, 5> by = {"", "steps", "events", "memory", "signal"};
  if (end == RunEnd::program) return;
  object["ended"] = {{"by", by[static_cast<std::size_t>(end)]},
                     {"steps", stats.steps},
                     {"message", end_text(end, stats, arguments)}};
}

namespace {

// Notes on the processes of the run and their messages.
std::vector<std::string> notes_of_team(const RunRequest& request) {
  if (request.device == nullptr) return {};
  const Expected<Team*> team = team_of(*request.device);
  return team && *team != nullptr ? (*team)->notes() : std::vector<std::string>();
}

}  // namespace

void add_run(Json& object, const Arguments& arguments, const RunRequest& request,
             const DeviceReport& report) {
  object["wall_seconds"] = report.wall_seconds;
  object["trace_hash"] = Json();
  object["findings"] = findings_json(report.findings);
  if (!report.warnings.empty()) object["warnings"] = report.warnings;
  if (const std::vector<std::string> notes = notes_of_team(request); !notes.empty())
    object["ran"] = notes;
  if (request.node_check) object["node_checks"] = node_check_json(*request.node_check);
  const RunResult* const result = report.simulated.get();
  if (result == nullptr) return;
  object["trace_hash"] = hash_text(result->trace_hash);
  if (request.prints) request.prints->add_to(object);
  object["replay"] = Json();
  object["replay_words"] = Json();
  if (!report.findings.empty()) add_replay(object, request, *result);
  if (result->certificate) {
    object["more_races"] = result->certificate->unlisted.races;
    object["has_all_races"] = result->certificate->unlisted.has_all;
    object["coverage"] = coverage_json(result->certificate->coverage.missing, {});
  }
  object["all_schedules"] = result->certificate ? Json(name(result->certificate->verdict)) : Json();
  add_end(object, arguments, result->end, result->stats);
  object["profile"] = request.profile.machine.text();
  object["schedule"] = request.schedule;
  if (request.options.machine.loop_workers > 0)
    object["loop_workers"] = request.options.machine.loop_workers;
  object["automatic_barrier"] = result->has_automatic_barrier;
  object["steps"] = result->stats.steps;
  object["ops"] = result->stats.ops;
  object["dmas"] = result->stats.dmas;
  object["dma_bytes"] = result->stats.dma_bytes;
  object["peak_vmem"] = result->stats.peak_vmem;
  object["peak_smem"] = result->stats.peak_smem;
  if (request.timing && report.findings.empty() && result->end == RunEnd::program) {
    Json simulated = to_json(request.timing->timing());
    if (request.cost) simulated["cost"] = to_json(request.cost->cost(), request.deeper->windows());
    object["simulated"] = simulated;
  }
  if (!request.compile_notes) return;
  object["compile_notes"] = Json::array();
  for (const Remark& note : request.compile_notes->notes())
    object["compile_notes"].push_back(to_json(note));
}

std::string line(std::string_view label, std::string_view text) {
  return fmt::format("{:<10}{}\n", label, text);
}

std::string more_races_line(const Certificate& certificate) {
  if (certificate.unlisted.races == 0)
    return certificate.unlisted.has_all ? "" : line("more", "races were not searched");
  const std::string pairs =
      counted(certificate.unlisted.races, "racing pair of accesses in other statements",
              "racing pairs of accesses in other statements");
  return line("more", certificate.unlisted.has_all
                          ? pairs
                          : fmt::format("at least {}; the rest was not searched", pairs));
}

namespace {

// The command that shows the races of this run in both orders.
std::string verify_line(const RunRequest& request) {
  Invocation verified = taken_by_verify(request.invocation);
  if (verified.command != "run") return verified.under("verify").line();
  verified.command = "verify";
  return verified.line();
}

// The verdict of the run on other schedules.
std::string certificate_line(const Certificate& c) {
  switch (c.verdict) {
    case SchedulesVerdict::proved:
      return line("proved", proved_text(c));
    case SchedulesVerdict::refuted:
      return {};
    case SchedulesVerdict::explored:
      if (c.end != RunEnd::program && c.end != RunEnd::events)
        return line("explored", fmt::format("this schedule only: {}", c.why_explored()));
      if (c.basis.broken.empty())
        return line("explored", fmt::format("this schedule only: its record has more than {} "
                                            "entries, which `gmm-run verify` analyses",
                                            certified_events));
      return line("explored",
                  fmt::format("this schedule only: {} does not hold, line {} {}",
                              name(c.basis.broken.front().condition),
                              c.basis.broken.front().loc.line, c.basis.broken.front().message));
  }
  return {};
}

}  // namespace

std::string cores_words(const RunOptions& options) {
  return options.machine.cores == 1 ? "" : fmt::format(", {} cores each", options.machine.cores);
}

std::string run_lines(const Arguments& arguments, const RunRequest& request,
                      const DeviceReport& report) {
  std::string device(request.device_name());
  if (request.is_simulated()) device += fmt::format(", profile {}", request.profile.machine.text());
  if (request.options.machine.devices > 1)
    device += fmt::format(", {} devices", request.options.machine.devices);
  device += cores_words(request.options);
  if (!request.why.empty()) device += fmt::format("; {}", request.why);
  std::string text = line("device", device);
  for (const std::string& warning : report.warnings) text += line("warning", warning);
  for (const std::string& note : notes_of_team(request)) text += line("ran", note);
  if (request.node_check && request.node_check->runs > 0)
    text += line("nodes", node_check_text(*request.node_check));
  const RunResult* const result = report.simulated.get();
  if (result == nullptr) return text;
  const RunOptions& options = request.options;
  std::string schedule = request.schedule.size() <= 60 ? request.schedule : "steps given";
  if (options.copies.granularity == CopyGranularity::partial) schedule += ", partial copies";
  if (options.copies.order == DmaOrder::fifo) schedule += ", copies of one link complete in order";
  if (options.machine.slow_device >= 0)
    schedule += fmt::format(", device {} slow", options.machine.slow_device);
  if (options.machine.loop_workers > 0)
    schedule += fmt::format(", iterations run concurrently on {} of each core",
                            counted(options.machine.loop_workers, "loop worker", "loop workers"));
  if (!options.checks.enabled) schedule += ", unchecked";
  text += line("schedule", schedule);
  if (result->has_automatic_barrier)
    text += line("barrier", "added at the start, for all cores: the program has no barrier");
  const RunStats& stats = result->stats;
  const auto parsed = parse_schedule(request.options.schedule);
  if (FaultBound* const bound = parsed ? strategy_of(*parsed).bound : nullptr) {
    const std::int64_t agents = std::int64_t{options.machine.devices} * options.machine.cores *
                                    (1 + options.machine.loop_workers) +
                                stats.dmas;
    text += line("bound", fmt::format("a fault of depth {} is found with a probability of at least "
                                      "{:.2g}: {} agents, {} steps",
                                      parsed->depth, bound(agents, stats.steps, parsed->depth),
                                      agents, stats.steps));
  }
  text += line("steps",
               fmt::format("{}, {}, {} of {} in all", counted(stats.steps, "event", "events"),
                           counted(stats.ops, "op", "ops"), counted(stats.dmas, "copy", "copies"),
                           human_bytes(stats.dma_bytes)));
  if (const std::string end = end_text(result->end, stats, arguments); !end.empty())
    text += line("ended", end);
  text += line("vmem", fmt::format("{} of {}", human_bytes(stats.peak_vmem),
                                   human_bytes(request.profile.machine.vmem_bytes)));
  if (request.timing && report.findings.empty() && result->end == RunEnd::program)
    text += line("simulated", timing_text(request.timing->timing(), request.profile.machine));
  if (request.cost && report.findings.empty() && result->end == RunEnd::program)
    text += cost_text(request.cost->cost(), request.deeper->windows(), request.timing->timing());
  if (result->certificate) {
    text += certificate_line(*result->certificate);
    if (result->certificate->verdict == SchedulesVerdict::proved)
      text += coverage_of_run_lines(*result->certificate, verify_line(request));
  }
  return text;
}

std::string finding_lines(const Arguments& arguments, const RunRequest& request,
                          const DeviceReport& report) {
  std::string text;
  if (request.compile_notes)
    for (const Remark& note : request.compile_notes->notes())
      text += render(note, "Mosaic would reject this: ");
  if (report.findings.empty()) return text;
  text += findings_text(report.findings, arguments.has("all"));
  if (!report.simulated) return text;
  const auto& certificate = report.simulated->certificate;
  if (certificate) text += more_races_line(*certificate);
  text += fmt::format("replay: {}\n", replay_line(request, *report.simulated));
  if (certificate && !certificate->races.empty())
    text += fmt::format("both orders: {}\n", verify_line(request));
  return text;
}

}  // namespace tessera::cli
