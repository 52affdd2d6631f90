#include "tests/mutation/mutation_test.h"

#include <algorithm>
#include <chrono>

#include "core/report/stop.h"
#include "core/report/try.h"
#include "interp/cut_off.h"
#include "interp/schedule/strategies.h"

namespace tessera {
namespace {

// Keeps the program that a run has, and which of its statements do anything.
class Keep : public Observer {
 public:
  void begin(const Program& program, const RunOptions& /*options*/) override {
    program_ = program;
    is_reached_.resize(program.body.size());
  }
  void on(const Event& event) override {
    if (event.statement) is_reached_[event.statement] = true;
  }
  const Program& program() const { return program_; }
  bool is_reached(StmtId statement) const { return is_reached_[statement]; }

 private:
  Program program_;
  Table<StmtId, bool> is_reached_;
};

bool has(const Certificate& certificate, FindingKind kind) {
  return std::any_of(certificate.findings.begin(), certificate.findings.end(),
                     [&](const Finding& finding) { return finding.kind == kind; });
}

Fate fate(const Certificate& certificate, const std::vector<ResultHash>& results) {
  if (certificate.verdict == SchedulesVerdict::explored) return Fate::undecided;
  if (certificate.verdict == SchedulesVerdict::proved) {
    return certificate.run.results == results ? Fate::equivalent : Fate::value;
  }
  if (has(certificate, FindingKind::deadlock)) return Fate::deadlock;
  if (any_has(certificate.findings, FindingTrait::leftover)) return Fate::leftover;
  const auto ends_differently = [](const RaceWitness& race) {
    return race.is_shown && (race.ends == Ends::different || race.ends == Ends::findings);
  };
  if (std::any_of(certificate.races.begin(), certificate.races.end(), ends_differently))
    return Fate::other_race;
  return certificate.races.empty() ? Fate::finding : Fate::race;
}

// Whether one of a few schedules ends otherwise than the program itself does.
Expected<bool> ends_otherwise(const Simulate& simulate, const CertifyOptions& options,
                              const std::vector<ResultHash>& results) {
  for (const std::string& schedule : sample_schedules(6)) {
    for (const int slow_device : {-1, 0, options.run.machine.devices - 1}) {
      RunOptions run = options.run;
      run.schedule = schedule;
      run.machine.slow_device = slow_device;
      if (options.granularity == CopyGranularity::partial)
        run.copies.granularity = CopyGranularity::partial;
      const RunResult result = TRY(simulate(run));
      if (!result.findings.empty() || result.results != results) return true;
    }
  }
  return false;
}

}  // namespace

std::string_view name(Fate fate) {
  constexpr std::string_view names[fates] = {"deadlock",       "leftover",  "race, other end",
                                             "race, same end", "finding",   "value",
                                             "equivalent",     "unreached", "undecided"};
  return names[static_cast<std::size_t>(fate)];
}

Expected<MutationTest> mutation_test(const Simulate& simulate, const CertifyOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  Keep keep;
  CertifyOptions how = options;
  how.necessity = false;
  how.run.record.results = true;
  how.run.observers.push_back(&keep);
  const Certificate original = TRY(certify(simulate, how));
  if (original.end != RunEnd::program)
    return cut_off(original.end, "the proof of the program itself");
  if (original.verdict != SchedulesVerdict::proved) {
    return error("mutants are made of a program that is proved, and this one is " +
                 std::string(name(original.verdict)));
  }
  how.run.observers.pop_back();
  const Program program = keep.program();
  MutationTest test;
  for (const Mutant& mutant : mutants(program)) {
    const Stmt& stmt = program.body[mutant.statement];
    JudgedMutant judged{
        mutant, program.loc(stmt.place), std::string(info(stmt.op).mnemonic), Fate::finding, {}};
    how.run.rewrite = [&](const Program& as_it_is) { return mutated(as_it_is, mutant); };
    const Expected<Certificate> certificate = certify(simulate, how);
    if (is_stopped(current_stop())) {
      test.is_interrupted = true;
      break;
    }
    if (!certificate) {
      judged.why = certificate.diags().front().message;
    } else {
      judged.fate = fate(*certificate, original.run.results);
      if (judged.fate == Fate::race && how.run.math != Math::none) {
        if (TRY(ends_otherwise(simulate, how, original.run.results)))
          judged.fate = Fate::other_race;
      }
      if (judged.fate == Fate::equivalent && !keep.is_reached(mutant.statement))
        judged.fate = Fate::unreached;
      judged.why = certificate->findings.empty() ? certificate->why_explored()
                                                 : certificate->findings.front().message;
    }
    test.mutants.push_back(std::move(judged));
  }
  test.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return test;
}

}  // namespace tessera
