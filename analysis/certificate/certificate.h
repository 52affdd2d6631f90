// Verdict on all schedules of a program, from one run of it: no races, deadlocks or leftovers; or
// findings with schedules that show them; or the number of schedules that were explored.
//
//     Expected<Certificate> c =
//         certify(expanded, bindings, {.run = {.machine = {.devices = 4, .profile = ...}}});
//     c->verdict == SchedulesVerdict::proved
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/certificate/conditions.h"
#include "analysis/certificate/necessity.h"
#include "analysis/certificate/points/points.h"
#include "analysis/certificate/points/points_witness.h"
#include "analysis/certificate/simulate.h"
#include "analysis/certificate/witness.h"
#include "analysis/coverage/coverage_note.h"
#include "core/report/finding.h"
#include "interp/binding.h"

namespace tessera {

enum class SchedulesVerdict : std::uint8_t {
  proved,   // no finding in any schedule, for these control inputs
  refuted,  // at least one finding
  explored  // no finding in the schedules that were run; others may have one
};
std::string_view name(SchedulesVerdict verdict);

// Comparison of two runs with the accesses of a race in either order: same values, same findings or
// different. unknown: not compared.
enum class Ends : std::uint8_t { unknown, same, findings, different };

// Finding of a race, with the runs that show it.
struct RaceWitness {
  Race race;
  std::size_t finding = 0;  // index into Certificate::findings
  std::optional<Witness> schedules{};
  bool is_with_copy = false;  // one of the accesses is by a copy
  bool is_run = false;        // the schedules were run
  bool is_shown = false;      // and the race was observed
  Ends ends = Ends::unknown;
  std::string outcome{};  // result of the runs in words, or the reason why no run shows the race
};

// Promises about copies, in addition to those under which a program was refuted, with which the
// program would be proved. None set: no promise about copies is sufficient.
struct Promises {
  bool whole = false;  // copies complete as a whole
  bool order = false;  // copies of one core to one other device complete in order
  bool both = false;   // both promises together, but neither on its own
  bool any() const { return whole || order || both; }
};

// One run decides all schedules.
struct OneRun {};

// All executions were run.
struct Exhausted {
  std::int64_t runs = 0;
  std::int64_t outcomes = 1;    // number of different results
  std::int64_t executions = 1;  // number of different protocol hashes
};

// Some schedules were run.
struct Explored {
  std::string why;  // reason for the verdict in one line; empty if the runs have a finding
  std::int64_t schedules = 1;   // number of schedules that were run
  std::int64_t executions = 1;  // number of different protocol hashes
  // Lower bound for the probability that the runs of the strategy pct find a fault of depth 3.
  // 0: there is no such run.
  double pct_bound = 0;
};

// Evidence for a verdict. proved: OneRun or Exhausted. refuted: OneRun, or Explored with the
// schedules up to the first one that has a finding. explored: Explored.
using Evidence = std::variant<OneRun, Exhausted, Explored>;

// Numbers of unordered pairs of accesses that are in no listed race.
struct Unlisted {
  std::int64_t races = 0, sums = 0;
  bool has_all = true;  // false: the numbers are lower bounds, because the search ended early
};

// Wait of a proved program, with the reason why it is needed.
struct ExplainedWait {
  Necessity need = Necessity::none;
  Remark remark{};  // place and explanation
};

// Scope and assumptions of a verdict.
struct Basis {
  std::string profile;
  std::string version;
  CopyGranularity granularity =
      CopyGranularity::whole;          // copy granularity in the covered schedules
  bool has_automatic_barrier = false;  // added by expand()
  // True if loops were not analysed: the verdict covers one order of iterations.
  bool orders_parallel_loops = false;
  std::vector<BrokenCondition> broken;  // in program order, loops last
  // Operands that decide the actions of the program. The verdict holds for their given values.
  std::vector<std::string> control_inputs;
};

struct Statistics {
  // Hash of the expanded program's text, and of the actions of each agent, which are the same in
  // all schedules. Set only by certify(); 0 if a Certifier observes a run on its own.
  std::uint64_t program_hash = 0, protocol_hash = 0;
  std::int64_t agents = 0, events = 0, semaphores = 0, accesses = 0, transfers = 0,
               peak_in_flight = 0, control_reads = 0;
  std::string_view method;  // "freeze-one"; empty: not analysed
  // Number of times that an agent was blocked, and events of other agents meanwhile.
  std::int64_t forks = 0, events_replayed = 0;
  double seconds = 0;  // duration of the analysis, without the runs
};

struct Certificate {
  SchedulesVerdict verdict = SchedulesVerdict::explored;
  Evidence evidence = OneRun{};
  RunEnd end = RunEnd::program;   // reason why the run or analysis ended early
  std::vector<Finding> findings;  // run findings, then races
  std::vector<RaceWitness> races;
  Unlisted unlisted;
  std::vector<Remark> order;                    // unordered additions: sums may differ in rounding
  std::vector<ParallelLoop> loops;              // source loops, in text order
  std::optional<PointsWitness> points_witness;  // may be set if iterations are not independent
  bool same_in_every_schedule = false;          // deadlocks and leftovers of the run
  Loc racing_control{};              // read that is in a race and decides actions; line 0: none
  std::vector<ExplainedWait> waits;  // if requested and proved; in program order
  std::optional<Promises> promises;  // sufficient ones, if stronger_promises() was called
  Basis basis;
  CoverageNotes coverage;  // notes on the recorded run
  Statistics statistics;
  RunResult run;  // the recorded run
  // Options that reproduce the verdict: the requested options, or the options of a
  // later run with a finding.
  std::string run_schedule;
  CopyGranularity run_landing = CopyGranularity::whole;

  bool is_exhausted() const { return std::holds_alternative<Exhausted>(evidence); }
  // Number of schedules that were run. 1 decides all if the verdict is proved and not exhausted.
  std::int64_t schedules() const;
  std::string_view why_explored() const;  // one line; empty unless explored
};

// Default maximum number of listed races. Further races are only counted.
constexpr std::size_t listed_races = 20;

struct CertifyOptions {
  RunOptions run{};
  CopyGranularity granularity =
      CopyGranularity::partial;       // partial: analyse partial copies; whole: as in the run
  std::int64_t budget = 100'000'000;  // max number of recorded events, and of steps per run
  std::size_t listed = listed_races;  // max number of listed races, and of listed unordered sums
  std::size_t shown = 16;             // max number of races that are run in both orders
  std::int64_t exhaust = 1000;        // max runs to cover all executions if counts are read
  // Max number of runs, including the first, if a condition is broken and `exhaust` is not enough.
  std::int64_t schedules = 32;
  bool necessity = false;  // analyse again without each wait
  bool is_named = true;    // false: no program_hash and protocol_hash, unless a condition is broken
};

// Sets the verdict and its evidence: refuted if there is a finding (the evidence is unchanged),
// otherwise explored if a condition is broken, otherwise proved by OneRun.
void judge(Certificate& certificate);
// Sets `end` and the verdict if the run or analysis ended early: refuted if there is a finding,
// otherwise explored. why_explored() is then "interrupted" for RunEnd::stop, otherwise "budget".
void judge_ended(Certificate& certificate, RunEnd end);

// Returns the verdict on all schedules of the program that `simulate` runs. Runs it once; again to
// show races, and if a condition is broken, for other executions or schedules. The first run and
// runs of other schedules have the observers of options.run. A run or analysis that ends early is
// no error (Certificate::end).
// Fails if a run fails, except one that only shows a race; with ErrorCode::environment or
// ErrorCode::interrupted if memory is exhausted or the work is stopped elsewhere.
Expected<Certificate> certify(const Simulate& simulate, const CertifyOptions& options);
// The same for runs by run() (interp/run.h), which overwrite the results in `bindings`. For
// parallel loops, the verdict covers only one order of iterations (Basis::orders_parallel_loops).
Expected<Certificate> certify(const Program& expanded, const std::vector<Binding>& bindings,
                              const CertifyOptions& options);

}  // namespace tessera
