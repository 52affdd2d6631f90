#include "interp/certificate/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "core/language.h"
#include "interp/certificate/race_report.h"
#include "interp/schedule.h"

namespace tessera {
namespace {

class Hash {
 public:
  void mix(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9E3779B97F4A7C15ULL;
    hash_ = hash_ << 29 | hash_ >> 35;
  }
  std::uint64_t value() const { return hash_ ^ hash_ >> 29; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
};

std::uint64_t text_hash(const std::string& text) {
  Hash hash;
  for (const char c : text) hash.mix(static_cast<unsigned char>(c));
  return hash.value();
}

// The same whatever schedule the run had: agents by name, each with its own events in order.
std::uint64_t protocol_hash(const Record& record) {
  std::vector<std::int32_t> agents(record.agents.size());
  for (std::size_t i = 0; i < agents.size(); ++i) agents[i] = static_cast<std::int32_t>(i);
  const auto agent = [&](std::int32_t a) -> const RecordedAgent& {
    return record.agents[static_cast<std::size_t>(a)];
  };
  std::sort(agents.begin(), agents.end(), [&](std::int32_t a, std::int32_t b) {
    return std::tie(agent(a).id.device, agent(a).id.dma) <
           std::tie(agent(b).id.device, agent(b).id.dma);
  });
  Hash hash;
  for (const std::int32_t a : agents) {
    hash.mix(static_cast<std::uint64_t>(agent(a).id.device) << 40 ^
             static_cast<std::uint64_t>(agent(a).id.dma));
    for (std::int32_t e = agent(a).begin; e < agent(a).end; ++e) {
      const RecordedEvent& event = record.events[static_cast<std::size_t>(e)];
      hash.mix(static_cast<std::uint64_t>(event.act) << 8 ^
               static_cast<std::uint64_t>(event.access) ^
               static_cast<std::uint64_t>(static_cast<std::uint32_t>(event.statement)) << 16);
      hash.mix(static_cast<std::uint64_t>(event.amount));
      const auto object = static_cast<std::size_t>(event.object);
      if (event.act == Act::access) {
        const Range& range = record.ranges[object];
        hash.mix(static_cast<std::uint64_t>(range.device) << 32 ^
                 static_cast<std::uint32_t>(range.object));
        for (std::size_t d = 0; d < static_cast<std::size_t>(range.box.rank); ++d) {
          hash.mix(static_cast<std::uint64_t>(range.box.start[d]));
          hash.mix(static_cast<std::uint64_t>(range.box.size[d]));
        }
      } else if (event.act != Act::start && event.act != Act::none) {
        const SemId& sem = record.cells[object];
        hash.mix(static_cast<std::uint64_t>(sem.device) << 32 ^
                 static_cast<std::uint32_t>(sem.semaphore));
        hash.mix(static_cast<std::uint64_t>(sem.cell));
      }
    }
  }
  return hash.value();
}

void describe(const Record& record, Certificate& certificate) {
  certificate.program_hash = text_hash(print(*record.program));
  certificate.protocol_hash = protocol_hash(record);
  certificate.version = TESSERA_VERSION;
  certificate.is_partial = record.is_partial;
  certificate.agents = static_cast<std::int64_t>(record.agents.size());
  certificate.events = static_cast<std::int64_t>(record.events.size());
  certificate.semaphores = static_cast<std::int64_t>(record.cells.size());
  certificate.accesses = record.accesses;
  certificate.transfers = record.transfers;
  certificate.peak_in_flight = record.peak_in_flight;
  certificate.orders_parallel_loops = !record.points.empty();
  certificate.method = "freeze-one";
}

void judge(Certificate& certificate) {
  if (!certificate.findings.empty()) {
    certificate.verdict = SchedulesVerdict::refuted;
  } else if (!certificate.broken.empty()) {
    certificate.verdict = SchedulesVerdict::explored;
    certificate.why_explored =
        fmt::format("condition {} does not hold", certificate.broken.front().condition);
  } else {
    certificate.verdict = SchedulesVerdict::proved;
  }
}

// Of two runs of a witness: what is different in the end.
std::string difference(const RunResult& a, const RunResult& b, bool has_values) {
  const auto kinds = [](const RunResult& run) {
    std::string text;
    for (const Finding& f : run.findings)
      if (f.kind != FindingKind::race)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", name(f.kind));
    return text.empty() ? std::string("nothing") : text;
  };
  if (kinds(a) != kinds(b))
    return fmt::format("one order ends with {}, the other with {}", kinds(a), kinds(b));
  if (kinds(a) != "nothing") return fmt::format("both orders end with {}", kinds(a));
  if (!has_values) return "values not compared: no tile arithmetic";
  for (std::size_t i = 0; i < a.results.size() && i < b.results.size(); ++i)
    if (!(a.results[i] == b.results[i]))
      return fmt::format("{} of dev{} is different in the two orders", a.results[i].buffer,
                         a.results[i].device);
  return "same values in both orders";
}

// Runs both schedules of a witness.
Diags show(const Simulate& simulate, RunOptions options, RaceWitness& race) {
  const Witness& witness = *race.schedules;
  if (witness.is_partial) options.landing = Landing::partial;
  options.hash_results = true;
  options.observers.clear();
  options.slow_device = -1;
  RunResult results[2];
  bool seen[2] = {};
  const bool is_one = witness.x_first == witness.y_first;
  for (int i = 0; i < 2; ++i) {
    WhichFirst first(witness);
    RunOptions one = options;
    one.schedule = i == 0 ? witness.x_first : witness.y_first;
    one.observers.push_back(&first);
    Expected<RunResult> result = simulate(one);
    if (!result) return result.diags();
    results[i] = *std::move(result);
    seen[i] = i == 0 ? first.saw_x_first() : first.saw_y_first();
  }
  race.is_run = true;
  race.is_shown = is_one ? seen[0] || seen[1] : seen[0] && seen[1];
  race.outcome = is_one ? "" : difference(results[0], results[1], options.math != Math::none);
  return {};
}

}  // namespace

std::string_view name(SchedulesVerdict verdict) {
  switch (verdict) {
    case SchedulesVerdict::proved:
      return "proved";
    case SchedulesVerdict::refuted:
      return "refuted";
    case SchedulesVerdict::explored:
      return "explored";
  }
  return "?";
}

void Certifier::begin(const Program& program, const RunOptions& options) {
  certificate_ = {};
  profile_ = options.profile.name;
  const auto schedule = parse_schedule(options.schedule);
  order_ = schedule ? schedule->order : std::nullopt;
  recorder_.begin(program, options);
}

void Certifier::end(RunResult& result) {
  analyse(result);
  result.certificate = std::make_shared<const Certificate>(certificate_);
}

void Certifier::analyse(RunResult& result) {
  const auto begin = std::chrono::steady_clock::now();
  recorder_.end(result);
  const Record& record = recorder_.record();
  certificate_.profile = profile_;
  certificate_.findings = result.findings;
  if (record.is_over_budget) {
    judge(certificate_);
    if (certificate_.verdict == SchedulesVerdict::proved) {
      certificate_.verdict = SchedulesVerdict::explored;
      certificate_.why_explored = "the run has more events than the analysis was given";
    }
    return;
  }
  const RaceAnalysis analysis = freeze_one(record);
  const ControlFlow control = control_flow(*record.program);
  describe(record, certificate_);
  certificate_.forks = analysis.forks;
  certificate_.moved = analysis.moved;
  certificate_.control_reads = std::count(control.reads.begin(), control.reads.end(), true);
  certificate_.broken = broken_conditions(record, control, analysis);
  certificate_.same_in_every_schedule = certificate_.broken.empty();
  // What is left over may also come after the end: the report on it says enough.
  const bool is_left_over =
      std::any_of(result.findings.begin(), result.findings.end(), [](const Finding& f) {
        return f.kind == FindingKind::semaphore_leak || f.kind == FindingKind::unwaited_dma;
      });
  const auto is_leave = [&](std::int32_t e) {
    const RecordedEvent& event = record.events[static_cast<std::size_t>(e)];
    const Range& range = record.ranges[static_cast<std::size_t>(event.object)];
    return range.kind == ObjectKind::none && range.object != 0;
  };
  for (const Race& race : analysis.races) {
    if (is_left_over && (is_leave(race.x) || is_leave(race.y))) continue;
    if (race.is_order) {
      certificate_.order.push_back(order_finding(record, race));
      continue;
    }
    for (const std::int32_t e : {race.x, race.y}) {
      const std::int32_t statement = record.events[static_cast<std::size_t>(e)].statement;
      if (statement >= 0 && control.reads[static_cast<std::size_t>(statement)])
        certificate_.same_in_every_schedule = false;
    }
    certificate_.races.push_back(
        {race, certificate_.findings.size(), find_witness(record, race, order_), false, false, {}});
    certificate_.findings.push_back(race_finding(record, race, control));
    result.findings.push_back(certificate_.findings.back());
  }
  judge(certificate_);
  if (asks_necessity_ && certificate_.verdict == SchedulesVerdict::proved) explain_waits(control);
  certificate_.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void Certifier::explain_waits(const ControlFlow& control) {
  const Record& record = recorder_.record();
  certificate_.waits = necessity(record);
  for (const NeededWait& wait : certificate_.waits) {
    Finding finding{.kind = FindingKind::race};
    finding.at.loc =
        record.program->loc(record.program->body[static_cast<std::size_t>(wait.statement)].place);
    if (wait.need == Need::order) {
      const Finding race = race_finding(record, *wait.race, control);
      finding.message = fmt::format("needed for order: without it {}", race.message);
      FindingPlace at = race.at;
      at.message = "there";
      finding.notes.push_back(std::move(at));
    } else if (wait.need == Need::counts) {
      finding.message = "needed for counts only: without it nothing races";
    } else {
      finding.message = "not needed: its semaphore can go, with all signals and waits on it";
    }
    certificate_.wait_findings.push_back(std::move(finding));
  }
}

namespace {

// Where one run does not decide: other schedules, each analysed by itself, until one has a finding.
Expected<Certificate> explore(const Simulate& simulate, const CertifyOptions& options,
                              Certificate certificate) {
  constexpr int depth = 3;
  std::set<std::uint64_t> protocols = {certificate.protocol_hash};
  for (std::int64_t i = 1; i < options.schedules; ++i) {
    Certifier certifier(options.partial, options.budget);
    RunOptions run = options.run;
    run.record_schedule = true;
    run.schedule = i == 1   ? "lazy"
                   : i == 2 ? "lifo"
                   : i % 2  ? fmt::format("random:{}", i / 2)
                            : fmt::format("pct:{}:{}", i / 2, depth);
    run.observers.push_back(&certifier);
    Expected<RunResult> result = simulate(run);
    if (!result) return result.diags();
    if (run.schedule.starts_with("pct")) {
      ++certificate.pct_runs;
      certificate.pct_bound =
          pct_bound(run.devices + result->stats.dmas, result->stats.steps, depth);
    }
    protocols.insert(certifier.certificate().protocol_hash);
    if (certifier.certificate().verdict == SchedulesVerdict::refuted) {
      Certificate found = certifier.certificate();
      found.schedules = i + 1;
      found.run = *std::move(result);
      return found;
    }
    certificate.schedules = i + 1;
  }
  certificate.protocols = static_cast<std::int64_t>(protocols.size());
  return certificate;
}

// Outside of the conditions a race is real when its schedules show it, and only then.
void drop_unshown(Certificate& certificate) {
  std::vector<Finding> findings;
  std::vector<RaceWitness> races;
  for (std::size_t i = 0; i < certificate.findings.size(); ++i) {
    const auto race = std::find_if(certificate.races.begin(), certificate.races.end(),
                                   [&](const RaceWitness& r) { return r.finding == i; });
    if (race != certificate.races.end() && !race->is_shown) continue;
    if (race != certificate.races.end()) {
      races.push_back(*race);
      races.back().finding = findings.size();
    }
    findings.push_back(certificate.findings[i]);
  }
  certificate.findings = std::move(findings);
  certificate.races = std::move(races);
  judge(certificate);
}

}  // namespace

Expected<Certificate> certify(const Simulate& simulate, const CertifyOptions& options) {
  Certifier certifier(options.partial, options.budget, options.necessity);
  RunOptions run = options.run;
  run.record_schedule = true;
  run.observers.push_back(&certifier);
  Expected<RunResult> result = simulate(run);
  if (!result) return result.diags();
  Certificate certificate = certifier.certificate();
  certificate.run = *std::move(result);
  if (certificate.verdict == SchedulesVerdict::explored && !certificate.broken.empty()) {
    Expected<Certificate> explored = explore(simulate, options, std::move(certificate));
    if (!explored) return explored.diags();
    certificate = *std::move(explored);
  }
  certificate.run.certificate = nullptr;  // this is more
  for (std::size_t i = 0; i < certificate.races.size() && i < options.shown; ++i) {
    if (!certificate.races[i].schedules) continue;
    const Diags problems = show(simulate, options.run, certificate.races[i]);
    // A schedule that does not fit means that control went another way than in the recorded run.
    if (!problems.empty()) certificate.races[i].outcome = problems.front().message;
  }
  if (!certificate.broken.empty()) drop_unshown(certificate);
  return certificate;
}

Expected<Certificate> certify(const Program& expanded, const std::vector<Binding>& bindings,
                              const CertifyOptions& options) {
  return certify(
      [&](const RunOptions& run_options) { return run(expanded, bindings, run_options); }, options);
}

}  // namespace tessera
