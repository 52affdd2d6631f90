// What one run proves of all schedules of a program: that nothing races, deadlocks or is left over,
// or a finding with schedules that show it, or how much was tried.
//
//   Expected<Certificate> c =
//       certify(expanded, bindings, {.run = {.machine = {.devices = 4, .profile = ...}}});
//   c->verdict == Verdict::proved
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
#include "core/report/finding.h"
#include "interp/binding.h"

namespace tessera {

enum class SchedulesVerdict : std::uint8_t {
  proved,   // no finding, for these control inputs, in any schedule
  refuted,  // a finding
  explored  // no finding in the schedules that were run; others may have one
};
std::string_view name(SchedulesVerdict verdict);

// How two runs end that have the accesses of a race in either order: with the same values, with
// the same findings, or differently. unknown: they were not compared.
enum class Ends : std::uint8_t { unknown, same, findings, different };

// A race's finding, and the runs that showed it.
struct RaceWitness {
  Race race;
  std::size_t finding = 0;  // into Certificate::findings
  std::optional<Witness> schedules{};
  bool is_with_copy = false;
  bool is_run = false;    // both orders were run ...
  bool is_shown = false;  // ... and seen
  Ends ends = Ends::unknown;
  std::string outcome{};  // of what was run, in words; or why nothing shows it
};

// Promises of a machine about copies, beyond those under which a program was refuted: each proves
// it by itself, or only both. None of them: no promise about copies would do.
struct Promises {
  bool whole = false;  // copies land whole
  bool order = false;  // what a core sends to one other device lands in order
  bool both = false;   // whole and in order
  bool any() const { return whole || order || both; }
};

// One run decides all schedules.
struct OneRun {};

// All executions that there are were run.
struct Exhausted {
  std::int64_t runs = 0;
  std::int64_t outcomes = 1;    // how many different results there are
  std::int64_t executions = 1;  // how many different protocol hashes
};

// Some schedules were run.
struct Explored {
  std::string why;              // one line: why no more is said; empty where they have a finding
  std::int64_t schedules = 1;   // that were run
  std::int64_t executions = 1;  // how many different protocol hashes
  // Of them by pct, each with a depth of 3 and at least this probability to meet a fault of it.
  std::int64_t pct_runs = 0;
  double pct_bound = 0;
};

// What is behind a verdict. proved: OneRun or Exhausted. refuted: OneRun, or Explored with the
// schedules up to the one that has the finding. explored: Explored.
using Evidence = std::variant<OneRun, Exhausted, Explored>;

// Pairs of accesses beside those that are listed, of other statements.
struct Unlisted {
  std::int64_t races = 0, sums = 0;
  bool has_all = true;  // false: at least so many, the rest was not looked for
};

// A wait of a proved program, and why it is needed.
struct ExplainedWait {
  Necessity need = Necessity::none;
  Remark remark{};  // its line
};

// What a verdict holds for, and what it takes for granted.
struct Basis {
  std::string profile;
  std::string version;
  CopyGranularity granularity =
      CopyGranularity::whole;           // of copies, in the schedules that it is about
  bool has_automatic_barrier = false;   // expand() added it
  bool orders_parallel_loops = false;   // they were not judged: it holds for one order of points
  std::vector<BrokenCondition> broken;  // in the order of the program
  // Operands whose values decide what is done: it holds for the ones that were given.
  std::vector<std::string> control_inputs;
};

struct Statistics {
  // Of the expanded program's text, and of what each agent did, in any schedule. Set by certify()
  // only; zero when a Certifier merely observes a run.
  std::uint64_t program_hash = 0, protocol_hash = 0;
  std::int64_t agents = 0, events = 0, semaphores = 0, accesses = 0, transfers = 0,
               peak_in_flight = 0, control_reads = 0;
  std::string_view method;  // "freeze-one"; empty: nothing was analysed
  std::int64_t forks = 0,
               events_replayed = 0;  // how often an agent was held, what others did meanwhile
  double seconds = 0;                // of the analysis, without the runs
};

struct Certificate {
  SchedulesVerdict verdict = SchedulesVerdict::explored;
  Evidence evidence = OneRun{};
  RunEnd end = RunEnd::program;   // what ended the work before it was done
  std::vector<Finding> findings;  // of the run, then the races
  std::vector<RaceWitness> races;
  Unlisted unlisted;
  std::vector<Remark> order;        // additions in no order: sums may differ in rounding
  std::vector<ParallelLoop> loops;  // of the source, in the order of its text
  std::optional<PointsWitness> points_witness;  // where their points are not independent
  bool same_in_every_schedule = false;          // deadlock and leftovers of the run
  Loc racing_control{};              // a read that is in a race, and decides what is done
  std::vector<ExplainedWait> waits;  // when asked for, and proved; in the order of the program
  std::optional<Promises> promises;  // that would do, when stronger_promises() was asked
  Basis basis;
  Statistics statistics;
  RunResult run;  // the recorded one
  // The options that lead to it: those that were asked for, or of a later run that has the finding.
  std::string run_schedule;
  CopyGranularity run_landing = CopyGranularity::whole;

  bool is_exhausted() const { return std::holds_alternative<Exhausted>(evidence); }
  std::int64_t schedules() const;  // that were run; 1 decides all when proved and not exhausted
  std::string_view why_explored() const;  // one line; empty unless explored
};

// How many races a certificate lists unless told otherwise; of the others it gives the number.
constexpr std::size_t listed_races = 20;

struct CertifyOptions {
  RunOptions run{};
  CopyGranularity granularity =
      CopyGranularity::partial;       // of copies: partial whatever the run does, or as it does
  std::int64_t budget = 100'000'000;  // events recorded, and steps of a run: there it ends
  std::size_t listed = listed_races;  // races, and sums in no order, at most
  std::size_t shown = 16;             // races that are run in both orders, at most
  std::int64_t exhaust = 1000;        // runs to try all executions with where counts are read
  std::int64_t schedules = 32;        // to run where a condition is broken, and that was not enough
  bool necessity = false;             // prove again without each wait
  bool is_named = true;               // by hashes of its program and protocol, for who keeps it
};

// By its findings and conditions.
void judge(Certificate& certificate);
// The same of work that was ended before it was done: nothing is proved, and why_explored is
// "budget" or "interrupted".
void judge_ended(Certificate& certificate, RunEnd end);

Expected<Certificate> certify(const Simulate& simulate, const CertifyOptions& options);
// Results are written into the bindings' tensors.
Expected<Certificate> certify(const Program& expanded, const std::vector<Binding>& bindings,
                              const CertifyOptions& options);

}  // namespace tessera
