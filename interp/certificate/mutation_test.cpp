#include "interp/certificate/mutation_test.h"

#include <algorithm>
#include <chrono>

namespace tessera {
namespace {

// Keeps the program that a run has.
class Keep : public Observer {
 public:
  void begin(const Program& program, const RunOptions& /*options*/) override { program_ = program; }
  void on(const Event& /*event*/) override {}
  const Program& program() const { return program_; }

 private:
  Program program_;
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
  if (has(certificate, FindingKind::semaphore_leak) || has(certificate, FindingKind::unwaited_dma))
    return Fate::leftover;
  const auto ends_differently = [](const RaceWitness& race) {
    return race.is_shown && race.outcome != "same values in both orders" &&
           !race.outcome.starts_with("values not compared");
  };
  if (std::any_of(certificate.races.begin(), certificate.races.end(), ends_differently))
    return Fate::other_race;
  return certificate.races.empty() ? Fate::finding : Fate::race;
}

}  // namespace

std::string_view name(Fate fate) {
  constexpr std::string_view names[] = {"deadlock", "leftover", "race, other end", "race, same end",
                                        "finding",  "value",    "equivalent",      "undecided"};
  return names[static_cast<std::size_t>(fate)];
}

Expected<MutationTest> mutation_test(const Simulate& simulate, const CertifyOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  Keep keep;
  CertifyOptions how = options;
  how.necessity = false;
  how.run.hash_results = true;
  how.run.observers.push_back(&keep);
  const Expected<Certificate> original = certify(simulate, how);
  if (!original) return original.diags();
  if (original->verdict != SchedulesVerdict::proved) {
    return error("mutants are made of a program that is proved, and this one is " +
                 std::string(name(original->verdict)));
  }
  how.run.observers.pop_back();
  const Program program = keep.program();
  MutationTest test;
  for (const Mutant& mutant : mutants(program)) {
    const Stmt& stmt = program.body[static_cast<std::size_t>(mutant.statement)];
    JudgedMutant judged{
        mutant, program.loc(stmt.place), std::string(info(stmt.op).mnemonic), Fate::finding, {}};
    how.run.mutant = &mutant;
    const Expected<Certificate> certificate = certify(simulate, how);
    if (!certificate) {
      judged.why = certificate.diags().front().message;
    } else {
      judged.fate = fate(*certificate, original->run.results);
      judged.why = certificate->findings.empty() ? certificate->why_explored
                                                 : certificate->findings.front().message;
    }
    test.mutants.push_back(std::move(judged));
  }
  test.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return test;
}

}  // namespace tessera
