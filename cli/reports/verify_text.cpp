#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "cli/args/limits.h"
#include "cli/reports/finding_text.h"
#include "cli/reports/report.h"
#include "cli/reports/verify_replay.h"
#include "cli/reports/verify_report.h"
#include "cli/reports/verify_words.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

std::string points_witness_text(const PointsWitness& witness) {
  const std::string how =
      witness.loop_workers == 0
          ? "another order of the iterations"
          : fmt::format("iterations run concurrently on {} loop workers", witness.loop_workers);
  return fmt::format("witness: {}, {}: {}\n", how, witness.schedule, witness.outcome);
}

std::string exhausted_text(const Exhausted& all) {
  return fmt::format(
      "no race and no deadlock in any schedule: {} covered {} that reads of counts allow, with {}",
      counted(all.runs, "run", "runs"),
      all.executions == 1 ? "the only execution"
                          : fmt::format("each of the {} executions", all.executions),
      all.outcomes == 1 ? "the same results" : fmt::format("{} different results", all.outcomes));
}

std::string explored_text(const Explored& some) {
  const std::string schedules = counted(some.schedules, "schedule", "schedules");
  if (some.why == "budget")
    return fmt::format("{} only: the run used up its budget before it was done", schedules);
  if (some.pct_bound == 0) return fmt::format("{} only: {}", schedules, some.why);
  return fmt::format(
      "{} only, with {}: {}; a fault of depth 3 is found with a probability of at least {:.2g}",
      schedules, counted(some.executions, "execution", "executions"), some.why, some.pct_bound);
}

// True if the findings are only limits of the machine, which do not depend on the schedule.
bool is_of_machine(const Certificate& c) { return all_have(c.findings, FindingTrait::of_machine); }

std::string verdict_text(const Certificate& c, const MachineProfile& machine) {
  switch (c.verdict) {
    case SchedulesVerdict::proved:
      if (const auto* all = std::get_if<Exhausted>(&c.evidence)) return exhausted_text(*all);
      return proved_text(c);
    case SchedulesVerdict::refuted:
      return findings_count(c.findings) +
             (is_of_machine(c)
                  ? fmt::format("; the program needs more than profile {} has", machine.text())
                  : "");
    case SchedulesVerdict::explored:
      return explored_text(std::get<Explored>(c.evidence));
  }
  return {};
}

// "line 12" for the text of the program; "library.tsr:12" for other texts, such as the library.
std::string line_text(const Prepared& prepared, const Loc& loc) {
  const bool is_own = prepared.module && prepared.module->source == loc.source;
  return is_own ? fmt::format("line {}", loc.line)
                : fmt::format("{}:{}", loc.source->name, loc.line);
}

std::string loop_name(const Prepared& prepared, const ParallelLoop& loop) {
  if (!loop.loc) return loop.name;
  return fmt::format("{} of {}", loop.name, line_text(prepared, loop.loc));
}

std::string points_text(const ParallelLoop& loop) {
  if (loop.any_split) return "any order, any split";
  return fmt::format("any order, but no split{}{}", loop.why_whole.empty() ? "" : ": ",
                     loop.why_whole);
}

// The device and the outcome of the recorded run.
std::string run_section(const Arguments& arguments, const Prepared& prepared,
                        const Certificate& c) {
  const RunRequest& request = prepared.request;
  std::string text = line("kernel", prepared.kernel);
  text +=
      line("device", fmt::format("interpreter, profile {}, {}{}", request.profile.machine.text(),
                                 counted(request.options.machine.devices, "device", "devices"),
                                 cores_words(request.options)));
  text += line("copies", fmt::format("{}, {}", name(c.basis.granularity),
                                     request.options.copies.order == DmaOrder::fifo
                                         ? "in order from a core to another device"
                                         : "in any order"));
  const std::string end = end_text(c.end, c.run.stats, arguments);
  if (!end.empty())
    text += line("ended", fmt::format("{}; {} recorded", end,
                                      counted(c.statistics.events, "event", "events")));
  else
    text += line(
        "run",
        fmt::format("{} and {}, {}, {}{}",
                    counted(c.statistics.agents - c.statistics.transfers, "core", "cores"),
                    counted(c.statistics.transfers, "copy", "copies"),
                    counted(c.statistics.events, "event", "events"),
                    counted(c.statistics.semaphores, "semaphore", "semaphores"),
                    c.statistics.transfers == 0
                        ? ""
                        : fmt::format("; in this schedule at most {} in flight",
                                      counted(c.statistics.peak_in_flight, "copy", "copies"))));
  if (c.basis.has_automatic_barrier)
    text += line("barrier", "added at the start, for all cores: the program has no barrier");
  return text;
}

// Characters; longer schedules are printed only once.
constexpr std::size_t long_schedule = 200;

std::string race_witness_text(const Arguments& arguments, const RaceWitness& race) {
  if (!race.schedules)
    return race.outcome.empty() ? "" : fmt::format("witness: none: {}\n", race.outcome);
  const bool is_short = race.schedules->y_first.size() <= longest_schedule;
  const bool is_one = race.schedules->x_first == race.schedules->y_first;
  const std::string shown =
      race.is_shown ? (is_one ? "found in the run of this schedule" : "both orders were run")
      : race.is_run ? "not seen in a run"
                    : "not run";
  std::string text =
      fmt::format("witness: {}{}{}\n", shown, race.outcome.empty() ? "" : ": ", race.outcome);
  if (!is_short) return text;
  text += fmt::format(
      "  {}\n", schedule_words(arguments, race.schedules->x_first, race.schedules->granularity));
  if (!is_one)
    text += fmt::format(
        "  {}\n", schedule_words(arguments, race.schedules->y_first, race.schedules->granularity));
  return text;
}

// Findings with the witnesses of races, and additions in no fixed order, which are not races.
std::string findings_section(const Arguments& arguments, const Certificate& c) {
  std::string text = findings_text(c.findings, arguments.has("all"), [&](std::size_t i) {
    std::string witnesses;
    for (const RaceWitness& race : c.races)
      if (race.finding == i) witnesses += race_witness_text(arguments, race);
    return witnesses;
  });
  text += more_races_line(c);
  for (const Remark& order : c.order) text += render(order, "in no order: ");
  if (c.unlisted.sums > 0)
    text +=
        line("more", counted(c.unlisted.sums, "pair of additions in no order, in other statements",
                             "pairs of additions in no order, in other statements"));
  return text;
}

// The basis of the verdict: waits, conditions, parallel loops and control inputs.
std::string basis_section(const Prepared& prepared, const Certificate& c) {
  std::string text;
  for (const ExplainedWait& wait : c.waits) text += render(wait.remark, "wait ");
  for (const BrokenCondition& broken : c.basis.broken)
    text += line(name(broken.condition),
                 broken.loc ? fmt::format("{}: {}", line_text(prepared, broken.loc), broken.message)
                            : broken.message);
  for (const ParallelLoop& loop : c.loops) {
    if (loop.any_order)
      text += line("parallel", fmt::format("{}: {}", loop_name(prepared, loop), points_text(loop)));
  }
  if (c.points_witness) text += points_witness_text(*c.points_witness);
  if (c.verdict == SchedulesVerdict::proved && !c.basis.control_inputs.empty())
    text += line(
        "inputs",
        fmt::format("the verdict holds for these values of {}; other values need their own proof",
                    fmt::join(c.basis.control_inputs, ", ")));
  if (c.basis.orders_parallel_loops)
    text += line("parallel", "iterations of parallel loops run in the order of this run");
  return text;
}

// For a refuted program: the schedules in which it fails, and the replay.
std::string replay_section(const Arguments& arguments, const RunRequest& request,
                           const Certificate& c) {
  std::string text;
  if (c.same_in_every_schedule) {
    const bool is_run = !c.run.findings.empty() && c.races.size() < c.findings.size() &&
                        all_have(c.findings, FindingTrait::of_order);
    if (is_run)
      text += line("", "deadlocks and final semaphore counts are the same in every schedule");
  }
  const auto* const explored = std::get_if<Explored>(&c.evidence);
  if (explored != nullptr && explored->schedules > 1)
    text +=
        line("", fmt::format("{} schedules were run; the last one is the first with the finding",
                             explored->schedules));
  const std::string schedule = replay_of(c).schedule;
  const std::size_t length = schedule.size();
  const bool is_of_witness =
      std::any_of(c.races.begin(), c.races.end(), [](const auto& race) { return race.schedules; });
  text += is_of_witness && length > long_schedule && length <= longest_schedule
              ? "replay: the last command of the first witness\n"
              : fmt::format("replay: {}\n", verify_replay_line(arguments, request, c));
  if (length > longest_schedule && !arguments.has("save-schedule") &&
      schedule != request.options.schedule)
    text += line("note", fmt::format("the schedule has {} characters: `--save-schedule FILE` "
                                     "writes it alone",
                                     length));
  return text;
}

// Method, version, hashes and times.
std::string method_section(const Certificate& c, double seconds) {
  std::string text;
  if (!c.statistics.method.empty())
    text += line("by", fmt::format("{}, tessera {}, program {}, protocol {}", c.statistics.method,
                                   c.basis.version, hash_text(c.statistics.program_hash),
                                   hash_text(c.statistics.protocol_hash)));
  text += line("time", fmt::format("{} in all, {} of it the analysis", human_seconds(seconds),
                                   human_seconds(c.statistics.seconds)));
  return text;
}

}  // namespace

std::string verify_lines(const Arguments& arguments, const Prepared& prepared, const Certificate& c,
                         const SizeChanges& changes, double seconds) {
  std::string text = run_section(arguments, prepared, c);
  text += findings_section(arguments, c);
  text += basis_section(prepared, c);
  text += line(name(c.verdict), verdict_text(c, prepared.request.profile.machine));
  if (c.verdict != SchedulesVerdict::refuted || !changes.empty())
    text += coverage_lines(c, changes);
  if (c.promises) text += line("promises", promises_text(*c.promises));
  if (c.verdict == SchedulesVerdict::refuted)
    text += replay_section(arguments, prepared.request, c);
  if (arguments.has("necessity") && c.verdict != SchedulesVerdict::proved)
    text += line("note", "--necessity explains the waits of a proof: there is no proof");
  return text + method_section(c, seconds);
}

}  // namespace tessera::cli
