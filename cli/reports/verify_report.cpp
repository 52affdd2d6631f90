#include "cli/reports/verify_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "cli/args/limits.h"
#include "cli/reports/finding_text.h"
#include "cli/reports/report.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

// The words of the command that runs what was verified.
std::vector<std::string> command_words(const Arguments& arguments, bool drops_landing) {
  const std::vector<std::string>& given = arguments.given();
  std::vector<std::string> words = {"gmm-run"};
  const bool is_operation = given.size() > 1 && [&] {
    for (const Command& command : commands())
      if (command.prepare != nullptr && command.name == given[1]) return true;
    return false;
  }();
  if (!is_operation) words.emplace_back("run");
  const auto is_dropped = [&](const std::string& word, std::string_view name) {
    return word == fmt::format("--{}", name) || word.starts_with(fmt::format("--{}=", name));
  };
  for (std::size_t i = 1; i < given.size(); ++i) {
    const bool has_value = is_dropped(given[i], "schedule") || is_dropped(given[i], "budget") ||
                           is_dropped(given[i], "schedules") || is_dropped(given[i], "exhaust") ||
                           is_dropped(given[i], "races") || is_dropped(given[i], "save") ||
                           is_dropped(given[i], "save-schedule") ||
                           (drops_landing && is_dropped(given[i], "landing"));
    if (has_value) {
      if (given[i].find('=') == std::string::npos) ++i;
    } else if (given[i] != "--json" && given[i] != "--necessity") {
      words.push_back(given[i]);
    }
  }
  return words;
}

std::string schedule_words(const Arguments& arguments, const std::string& schedule, bool is_partial,
                           int point_cores = 0) {
  std::vector<std::string> words = command_words(arguments, is_partial);
  if (is_partial) words.insert(words.end(), {"--landing", "partial"});
  if (point_cores > 0) words.insert(words.end(), {"--point-cores", std::to_string(point_cores)});
  words.insert(words.end(), {"--schedule", schedule});
  return shell_line(words);
}

std::string points_witness_text(const PointsWitness& witness) {
  const std::string how =
      witness.point_cores == 0
          ? "another order of the points"
          : fmt::format("points side by side on {} point-cores", witness.point_cores);
  return fmt::format("witness: {}, {}: {}\n", how, witness.schedule, witness.outcome);
}

std::string exhausted_text(const Exhausted& all) {
  return fmt::format(
      "race-free and deadlock-free for these control inputs, all schedules, by exhaustion in "
      "{} with {} and {}",
      counted(all.runs, "run", "runs"),
      counted(all.executions, "course of events", "courses of events"),
      all.outcomes == 1 ? "the same results" : fmt::format("{} different results", all.outcomes));
}

std::string explored_text(const Explored& some) {
  const std::string schedules = counted(some.schedules, "schedule", "schedules");
  if (some.pct_runs == 0) return fmt::format("{} only: {}", schedules, some.why);
  return fmt::format(
      "{} only, with {}: {}; a fault of depth 3 is met with probability of at least {:.2g}",
      schedules, counted(some.executions, "course of events", "courses of events"), some.why,
      -std::expm1(static_cast<double>(some.pct_runs) * std::log1p(-some.pct_bound)));
}

std::string verdict_text(const Certificate& c) {
  switch (c.verdict) {
    case SchedulesVerdict::proved:
      if (const auto* all = std::get_if<Exhausted>(&c.evidence)) return exhausted_text(*all);
      if (!c.order.empty())
        return "race-free and deadlock-free for these control inputs, all schedules; values up to "
               "the order of the additions above";
      return "race-free, deadlock-free and schedule-deterministic for these control inputs, all "
             "schedules";
    case SchedulesVerdict::refuted:
      return findings_count(c.findings);
    case SchedulesVerdict::explored:
      return explored_text(std::get<Explored>(c.evidence));
  }
  return {};
}

// "line 12" of the program's text; of another one, as that of the library, "library.tsr:12".
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

// What promises about copies would make of a refuted program.
std::string promises_text(const Promises& promises) {
  if (promises.whole && promises.order)
    return "proved if copies land whole, or if those of one link land in order";
  if (promises.whole) return "proved if copies land whole";
  if (promises.order) return "proved if copies of one link land in order";
  if (promises.both) return "proved if copies land whole, and those of one link in order";
  return "no promise about copies would do";
}

}  // namespace

Status status_of(const Certificate& certificate) {
  if (certificate.findings.empty()) return status_of(certificate.end);
  const bool only_unsupported =
      std::all_of(certificate.findings.begin(), certificate.findings.end(),
                  [](const Finding& f) { return f.kind == FindingKind::unsupported; });
  return only_unsupported ? Status::unsupported : Status::finding;
}

Replay replay_of(const RunRequest& request, const Certificate& certificate) {
  for (const RaceWitness& race : certificate.races)
    if (race.schedules) return {race.schedules->y_first, race.schedules->is_partial};
  if (certificate.points_witness)
    return {certificate.points_witness->schedule, false, certificate.points_witness->point_cores};
  const std::string& schedule = certificate.run.schedule;
  return {schedule.size() <= longest_schedule ? schedule : request.schedule, false};
}

std::string replay_line(const Arguments& arguments, const RunRequest& request,
                        const Certificate& certificate) {
  const Replay replay = replay_of(request, certificate);
  const bool is_saved = arguments.has("save-schedule");
  const bool is_long = replay.schedule.size() > longest_schedule;
  return schedule_words(arguments,
                        is_saved  ? fmt::format("replay:{}", arguments.text("save-schedule"))
                        : is_long ? "replay:FILE"
                                  : replay.schedule,
                        replay.is_partial, replay.point_cores);
}

std::string verify_lines(const Arguments& arguments, const Prepared& prepared, const Certificate& c,
                         double seconds) {
  const RunRequest& request = prepared.request;
  std::string text = line("kernel", prepared.kernel);
  text +=
      line("device", fmt::format("interpreter, profile {}, {}{}", request.profile.machine.text(),
                                 counted(request.options.devices, "device", "devices"),
                                 cores_words(request.options)));
  text += line("copies", fmt::format("{}, {}", c.basis.is_partial ? "stream" : "land whole",
                                     request.options.dma_order == DmaOrder::fifo
                                         ? "in order from a core to another device"
                                         : "in any order"));
  const std::string end = end_text(c.end, c.run.stats, arguments);
  if (!end.empty())
    text += line("ended", fmt::format("{}; {} recorded", end,
                                      counted(c.statistics.events, "event", "events")));
  else
    text += line("run", fmt::format("{}, {}, {}, {} of semaphores, {} in flight at once",
                                    counted(c.statistics.agents, "agent", "agents"),
                                    counted(c.statistics.events, "event", "events"),
                                    counted(c.statistics.transfers, "copy", "copies"),
                                    counted(c.statistics.semaphores, "cell", "cells"),
                                    c.statistics.peak_in_flight));
  if (c.basis.has_automatic_barrier)
    text += line("barrier", "of all cores, added at the start: the program has none of its own");
  text += findings_text(c.findings, arguments.has("all"), [&](std::size_t i) {
    std::string text;
    for (const RaceWitness& race : c.races) {
      if (race.finding != i) continue;
      if (!race.schedules) {
        if (!race.outcome.empty()) text += fmt::format("witness: none: {}\n", race.outcome);
        continue;
      }
      const bool is_short = race.schedules->y_first.size() <= longest_schedule;
      const bool is_one = race.schedules->x_first == race.schedules->y_first;
      const std::string shown =
          race.is_shown ? (is_one ? "the run of this schedule meets it" : "both orders were run")
          : race.is_run ? "not seen in a run"
                        : "not run";
      text +=
          fmt::format("witness: {}{}{}\n", shown, race.outcome.empty() ? "" : ": ", race.outcome);
      if (!is_short) continue;
      text += fmt::format(
          "  {}\n", schedule_words(arguments, race.schedules->x_first, race.schedules->is_partial));
      if (!is_one)
        text += fmt::format("  {}\n", schedule_words(arguments, race.schedules->y_first,
                                                     race.schedules->is_partial));
    }
    return text;
  });
  text += more_races_line(c);
  for (const Remark& order : c.order) text += render(order, "in no order: ");
  if (c.unlisted.sums > 0)
    text +=
        line("more", counted(c.unlisted.sums, "pair of additions in no order, of other statements",
                             "pairs of additions in no order, of other statements"));
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
    text += line("inputs", fmt::format("{} decide what is done: proved for the values given",
                                       fmt::join(c.basis.control_inputs, ", ")));
  if (c.basis.orders_parallel_loops)
    text += line("parallel", "the points of parallel loops come in the order of this run");
  text += line(name(c.verdict), verdict_text(c));
  if (c.promises) text += line("promises", promises_text(*c.promises));
  if (c.verdict == SchedulesVerdict::refuted) {
    if (c.same_in_every_schedule) {
      const auto is_of_counts = [](const Finding& f) {
        return f.kind == FindingKind::deadlock || f.kind == FindingKind::semaphore_leak ||
               f.kind == FindingKind::unwaited_dma || f.kind == FindingKind::race;
      };
      const bool is_run = !c.run.findings.empty() && c.races.size() < c.findings.size() &&
                          std::all_of(c.findings.begin(), c.findings.end(), is_of_counts);
      if (is_run) text += line("", "deadlock and leftovers are the same in every schedule");
    }
    text += fmt::format("replay: {}\n", replay_line(arguments, request, c));
    const std::size_t length = replay_of(request, c).schedule.size();
    if (length > longest_schedule && !arguments.has("save-schedule"))
      text += line("note", fmt::format("that schedule has {} characters: `--save-schedule FILE` "
                                       "writes it",
                                       length));
  }
  if (arguments.has("necessity") && c.verdict != SchedulesVerdict::proved)
    text += line("note", "--necessity says what each wait of a proof is needed for: there is none");
  if (!c.statistics.method.empty())
    text += line("by", fmt::format("{}, tessera {}, program {}, protocol {}", c.statistics.method,
                                   c.basis.version, hash_text(c.statistics.program_hash),
                                   hash_text(c.statistics.protocol_hash)));
  text += line("time", fmt::format("{} in all, {} of it the analysis", human_seconds(seconds),
                                   human_seconds(c.statistics.seconds)));
  return text;
}

Json verify_json(const Arguments& arguments, const Prepared& prepared, const Certificate& c,
                 double seconds) {
  const RunRequest& request = prepared.request;
  Json object = {
      {"status", name(status_of(c))},
      {"device", "interpreter"},
      {"devices", request.options.devices},
      {"kernel", prepared.kernel},
      {"verdict", name(c.verdict)},
      {"schedules",
       c.verdict == SchedulesVerdict::explored || c.is_exhausted() ? Json(c.schedules()) : Json()},
      {"exhausted", c.is_exhausted()},
      {"findings", Json::array()},
      {"more_races", c.unlisted.races},
      {"has_all_races", c.unlisted.has_all},
      {"replay", Json()},
      {"events", c.statistics.events},
      {"wall_seconds", seconds}};
  if (request.options.cores > 1) object["cores"] = request.options.cores;
  object["findings"] = findings_json(c.findings);
  for (const RaceWitness& race : c.races) {
    Json& finding = object["findings"][race.finding];
    finding["pairs"] = race.race.pairs;
    if (!race.schedules) {
      finding["witness"] = {
          {"commands", Json::array()}, {"shown", false}, {"outcome", race.outcome}};
      continue;
    }
    const Witness& witness = *race.schedules;
    Json commands = Json::array();
    const bool is_short = witness.y_first.size() <= longest_schedule;
    if (is_short)
      commands.push_back(schedule_words(arguments, witness.x_first, witness.is_partial));
    if (is_short && witness.y_first != witness.x_first)
      commands.push_back(schedule_words(arguments, witness.y_first, witness.is_partial));
    finding["witness"] = {
        {"commands", std::move(commands)}, {"shown", race.is_shown}, {"outcome", race.outcome}};
  }
  if (c.verdict == SchedulesVerdict::refuted) object["replay"] = replay_line(arguments, request, c);
  object["order"] = Json::array();
  // The form has them as races.
  for (const Remark& order : c.order)
    object["order"].push_back(to_json(Finding{.kind = FindingKind::race,
                                              .message = order.at.message,
                                              .at = order.at,
                                              .notes = order.notes}));
  object["more_sums"] = c.unlisted.sums;
  object["conditions"] = Json::array();
  for (const BrokenCondition& broken : c.basis.broken)
    object["conditions"].push_back({{"condition", name(broken.condition)},
                                    {"file", broken.loc ? Json(broken.loc.source->name) : Json()},
                                    {"line", broken.loc.line},
                                    {"message", broken.message}});
  object["control_inputs"] = Json::array();
  for (const std::string& input : c.basis.control_inputs) object["control_inputs"].push_back(input);
  object["points_witness"] = Json();
  if (c.points_witness)
    object["points_witness"] = {{"schedule", c.points_witness->schedule},
                                {"point_cores", c.points_witness->point_cores},
                                {"outcome", c.points_witness->outcome}};
  object["loops"] = Json::array();
  for (const ParallelLoop& loop : c.loops)
    object["loops"].push_back({{"name", loop.name},
                               {"file", loop.loc ? Json(loop.loc.source->name) : Json()},
                               {"line", loop.loc.line},
                               {"any_order", loop.any_order},
                               {"any_split", loop.any_split},
                               {"why", loop.why_whole.empty() ? Json() : Json(loop.why_whole)},
                               {"by", loop.by_structure ? "structure" : "run"},
                               {"points", loop.by_structure ? Json() : Json(loop.points)}});
  if (!c.waits.empty()) object["waits"] = Json::array();
  for (const ExplainedWait& wait : c.waits)
    object["waits"].push_back({{"line", wait.remark.at.loc.line},
                               {"need", name(wait.need)},
                               {"message", wait.remark.at.message}});
  if (!c.why_explored().empty()) object["why"] = c.why_explored();
  if (c.promises)
    object["promises"] = {{"whole", c.promises->whole},
                          {"order", c.promises->order},
                          {"both", c.promises->both || c.promises->whole || c.promises->order},
                          {"text", promises_text(*c.promises)}};
  add_end(object, arguments, c.end, c.run.stats);
  object["certificate"] = {{"program", hash_text(c.statistics.program_hash)},
                           {"protocol", hash_text(c.statistics.protocol_hash)},
                           {"profile", c.basis.profile},
                           {"version", c.basis.version},
                           {"method", c.statistics.method},
                           {"landing", c.basis.is_partial ? "partial" : "whole"},
                           {"agents", c.statistics.agents},
                           {"semaphores", c.statistics.semaphores},
                           {"accesses", c.statistics.accesses},
                           {"transfers", c.statistics.transfers},
                           {"peak_in_flight", c.statistics.peak_in_flight},
                           {"control_reads", c.statistics.control_reads},
                           {"automatic_barrier", c.basis.has_automatic_barrier},
                           {"parallel_loops_in_order", c.basis.orders_parallel_loops},
                           {"forks", c.statistics.forks},
                           {"moved", c.statistics.moved},
                           {"analysis_seconds", c.statistics.seconds}};
  return object;
}

}  // namespace tessera::cli
