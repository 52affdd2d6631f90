#include <utility>

#include "cli/reports/finding_text.h"
#include "cli/reports/report.h"
#include "cli/reports/verify_replay.h"
#include "cli/reports/verify_report.h"
#include "cli/reports/verify_words.h"
#include "devices/devices.h"

namespace tessera::cli {
namespace {

Json file_of(const Loc& loc) { return loc ? Json(loc.source->name) : Json(); }

// The verdict and the outcome of the run. Reserves the positions of `findings` and `replay`.
Json run_json(const Prepared& prepared, const Certificate& c, double seconds) {
  const RunRequest& request = prepared.request;
  Json object = {
      {"status", name(status_of(c))},
      {"device", simulated_device().name()},
      {"devices", request.options.machine.devices},
      {"kernel", prepared.kernel},
      {"verdict", name(c.verdict)},
      {"schedules",
       c.verdict == SchedulesVerdict::explored || c.is_exhausted() ? Json(c.schedules()) : Json()},
      {"exhausted", c.is_exhausted()},
      {"complete", c.end == RunEnd::program && c.run.is_complete},
      {"findings", Json::array()},
      {"more_races", c.unlisted.races},
      {"has_all_races", c.unlisted.has_all},
      {"replay", Json()},
      {"replay_words", Json()},
      {"events", c.statistics.events},
      {"wall_seconds", seconds}};
  if (request.options.machine.cores > 1) object["cores"] = request.options.machine.cores;
  return object;
}

Json witness_json(const Arguments& arguments, const RaceWitness& race) {
  if (!race.schedules)
    return {{"commands", Json::array()}, {"shown", false}, {"outcome", race.outcome}};
  const Witness& witness = *race.schedules;
  Json commands = Json::array();
  const bool is_short = witness.y_first.size() <= longest_schedule;
  if (is_short) commands.push_back(schedule_words(arguments, witness.x_first, witness.granularity));
  if (is_short && witness.y_first != witness.x_first)
    commands.push_back(schedule_words(arguments, witness.y_first, witness.granularity));
  return {{"commands", std::move(commands)}, {"shown", race.is_shown}, {"outcome", race.outcome}};
}

// Adds the findings with the witnesses of races, the replay, and additions in no fixed order.
void add_findings(Json& object, const Arguments& arguments, const RunRequest& request,
                  const Certificate& c) {
  object["findings"] = findings_json(c.findings);
  for (const RaceWitness& race : c.races) {
    Json& finding = object["findings"][race.finding];
    finding["pairs"] = race.race.pairs;
    finding["witness"] = witness_json(arguments, race);
  }
  if (c.verdict == SchedulesVerdict::refuted) {
    object["replay"] = verify_replay_line(arguments, request, c);
    object["replay_words"] = Json(verify_replay_words(arguments, c));
  }
  object["order"] = Json::array();
  // The JSON format represents them as races.
  for (const Remark& order : c.order)
    object["order"].push_back(to_json(Finding{.kind = FindingKind::race,
                                              .message = order.at.message,
                                              .at = order.at,
                                              .notes = order.notes}));
  object["more_sums"] = c.unlisted.sums;
}

// Adds the basis of the verdict: conditions, control inputs, parallel loops and waits.
void add_basis(Json& object, const Certificate& c) {
  object["conditions"] = Json::array();
  for (const BrokenCondition& broken : c.basis.broken)
    object["conditions"].push_back({{"condition", name(broken.condition)},
                                    {"file", file_of(broken.loc)},
                                    {"line", broken.loc.line},
                                    {"message", broken.message}});
  object["control_inputs"] = Json::array();
  for (const std::string& input : c.basis.control_inputs) object["control_inputs"].push_back(input);
  object["points_witness"] = Json();
  if (c.points_witness)
    object["points_witness"] = {{"schedule", c.points_witness->schedule},
                                {"loop_workers", c.points_witness->loop_workers},
                                {"outcome", c.points_witness->outcome}};
  object["loops"] = Json::array();
  for (const ParallelLoop& loop : c.loops)
    object["loops"].push_back({{"name", loop.name},
                               {"file", file_of(loop.loc)},
                               {"line", loop.loc.line},
                               {"any_order", loop.any_order},
                               {"any_split", loop.any_split},
                               {"why", loop.why_whole.empty() ? Json() : Json(loop.why_whole)},
                               {"by", loop.by_structure ? "structure" : "run"},
                               {"points", loop.by_structure ? Json() : Json(loop.points)}});
  if (!c.waits.empty()) object["waits"] = Json::array();
  for (const ExplainedWait& wait : c.waits)
    object["waits"].push_back({{"file", file_of(wait.remark.at.loc)},
                               {"line", wait.remark.at.loc.line},
                               {"need", name(wait.need)},
                               {"message", wait.remark.at.message}});
}

Json statistics_json(const Certificate& c) {
  return {{"program", hash_text(c.statistics.program_hash)},
          {"protocol", hash_text(c.statistics.protocol_hash)},
          {"profile", c.basis.profile},
          {"version", c.basis.version},
          {"method", c.statistics.method},
          {"copy_granularity", name(c.basis.granularity)},
          {"agents", c.statistics.agents},
          {"semaphores", c.statistics.semaphores},
          {"accesses", c.statistics.accesses},
          {"transfers", c.statistics.transfers},
          {"peak_in_flight", c.statistics.peak_in_flight},
          {"control_reads", c.statistics.control_reads},
          {"automatic_barrier", c.basis.has_automatic_barrier},
          {"parallel_loops_in_order", c.basis.orders_parallel_loops},
          {"forks", c.statistics.forks},
          {"events_replayed", c.statistics.events_replayed},
          {"analysis_seconds", c.statistics.seconds}};
}

}  // namespace

Json verify_json(const Arguments& arguments, const Prepared& prepared, const Certificate& c,
                 const SizeChanges& changes, double seconds) {
  Json object = run_json(prepared, c, seconds);
  add_findings(object, arguments, prepared.request, c);
  add_basis(object, c);
  if (!c.why_explored().empty()) object["why"] = c.why_explored();
  if (c.promises)
    object["promises"] = {{"whole", c.promises->whole},
                          {"order", c.promises->order},
                          {"both", c.promises->both || c.promises->whole || c.promises->order},
                          {"text", promises_text(*c.promises)}};
  add_end(object, arguments, c.end, c.run.stats);
  object["coverage"] = coverage_json(c.coverage.missing, changes);
  object["certificate"] = statistics_json(c);
  return object;
}

}  // namespace tessera::cli
