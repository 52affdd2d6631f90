// What one run proves of all schedules of a program: that nothing races, deadlocks or is left over,
// or a finding with schedules that show it, or how much was tried.
//
//   Expected<Certificate> c = certify(expanded, bindings, {.run = {.devices = 4, .profile = ...}});
//   c->verdict == Verdict::proved
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "interp/certificate/conditions.h"
#include "interp/certificate/mutation/necessity.h"
#include "interp/certificate/points/points.h"
#include "interp/certificate/points/points_witness.h"
#include "interp/certificate/record/relay.h"
#include "interp/certificate/simulate.h"
#include "interp/certificate/witness.h"

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

struct Certificate {
  SchedulesVerdict verdict = SchedulesVerdict::explored;
  std::string why_explored;       // one line; empty unless explored
  RunEnd end = RunEnd::program;   // what ended the work before it was done
  std::vector<Finding> findings;  // of the run, then the races
  std::vector<RaceWitness> races;
  std::vector<Finding> order;  // additions in no order: sums may differ in rounding
  // Pairs of accesses of other statements that race, or add, as well: too many to list.
  std::int64_t more_races = 0, more_sums = 0;
  bool has_all_races = true;            // false: at least so many, the rest was not looked for
  std::vector<BrokenCondition> broken;  // in the order of the program
  bool same_in_every_schedule = false;  // deadlock and leftovers of the run
  Loc racing_control{};                 // a read that is in a race, and decides what is done
  std::int64_t schedules = 1;           // that were run; 1 decides all when proved
  bool is_exhausted = false;            // proved by running all courses that there are
  std::int64_t outcomes = 1;            // exhausted: how many different results there are
  std::int64_t protocols = 1;           // of several: different protocol hashes among them
  std::int64_t pct_runs = 0;            // of them by pct, each with this depth and at least
  double pct_bound = 0;                 // this probability to meet a fault of that depth
  std::vector<NeededWait> waits;        // when asked for, and proved
  std::optional<Promises> promises;     // that would do, when stronger_promises() was asked
  std::vector<Finding> wait_findings;   // one for each of them: the line, and why it is needed
  std::vector<ParallelLoop> loops;      // of the source, in the order of its text
  std::optional<PointsWitness> points_witness;  // where their points are not independent
  // Operands whose values decide what is done: it holds for the ones that were given.
  std::vector<std::string> control_inputs;
  bool orders_parallel_loops = false;  // nobody judged them: it holds for one order of their points

  // Of the expanded program's text, and of what the agents did, each by itself. certify() fills
  // them in; to a Certifier in an ordinary run nobody puts the question.
  std::uint64_t program_hash = 0, protocol_hash = 0;
  std::string profile;
  std::string version;
  bool is_partial = false;             // copies may land in parts
  bool has_automatic_barrier = false;  // expand() added it
  std::int64_t agents = 0, events = 0, semaphores = 0, accesses = 0, transfers = 0,
               peak_in_flight = 0, control_reads = 0;
  std::string method;  // "freeze-one"
  std::int64_t forks = 0, moved = 0;
  double seconds = 0;  // of the analysis, without the runs
  RunResult run;       // the recorded one
};

// How many races a certificate lists unless told otherwise; of the others it gives the number.
constexpr std::size_t listed_races = 20;

struct CertifyOptions {
  RunOptions run{};
  bool partial = true;                // let copies land in parts, whatever the run does
  std::int64_t budget = 100'000'000;  // events recorded, and steps of a run: there it ends
  std::size_t listed = listed_races;  // races, and sums in no order, at most
  std::size_t shown = 16;             // races that are run in both orders, at most
  std::int64_t exhaust = 1000;        // runs to try all courses with where counts are read
  std::int64_t schedules = 32;        // to run where a condition is broken, and that was not enough
  bool necessity = false;             // prove again without each wait
};

// What an analysis says of a program that reads counts. All speak of the schedules in which the
// reads get what they got in this run, where that can be told. pinned: of no others, the caller
// tries those. unsettled: without races that another count might rule out, where it cannot be told.
enum class Reads : std::uint8_t { free, pinned, unsettled };

// By its findings and conditions.
void judge(Certificate& certificate);
// The same of work that was ended before it was done: nothing is proved, and why_explored is
// "budget" or "interrupted".
void judge_ended(Certificate& certificate, RunEnd end);

// Records one run and analyses it. certificate() means something after the run; findings are added
// to its result.
class Certifier : public Observer {
 public:
  Certifier(bool partial, std::int64_t budget, bool necessity = false, Reads reads = Reads::free,
            std::size_t listed = listed_races)
      : recorder_(partial, budget), asks_necessity_(necessity), reads_(reads), listed_(listed) {}
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  // Where the caller wants the analysis and nothing else of the run.
  void end_run_when_full() { ends_run_ = true; }
  bool is_full() const override { return ends_run_ && recorder_.is_full(); }
  void end(RunResult& result) override;
  const Certificate& certificate() const { return certificate_; }
  const Record& record() const { return recorder_.record(); }
  // What was analysed: the record, with the counts that were read held in their places.
  const Record& analysed() const { return pinned_ ? *pinned_ : record(); }
  std::optional<std::uint64_t> order() const { return order_; }  // of parallel loops

 private:
  // An event that is recorded after the call.
  struct Kept {
    Event event;
    Box box;
  };

  void analyse(RunResult& result);
  void judge_loops(RunResult& result);
  void list_races(const RunResult& result, const Record& record, const RaceAnalysis& analysis,
                  const ControlFlow& control);
  void give_up(const RunResult& result, RunEnd end);
  void explain_waits(const ControlFlow& control);

  Recorder recorder_;
  std::int64_t relayed_from_ = 0;     // events of the run; those before are recorded at once
  std::optional<Relay<Kept>> relay_;  // then the recorder has a thread of its own
  std::optional<Record> pinned_;
  bool asks_necessity_;
  bool ends_run_ = false;
  Reads reads_;
  std::size_t listed_;
  std::string profile_;
  std::optional<std::uint64_t> order_;
  const PointsVerdict* points_ = nullptr;
  bool orders_copies_ = false;  // of the run: --dma-order fifo
  Certificate certificate_;
};

Expected<Certificate> certify(const Simulate& simulate, const CertifyOptions& options);
// Results are written into the bindings' tensors.
Expected<Certificate> certify(const Program& expanded, const std::vector<Binding>& bindings,
                              const CertifyOptions& options);

}  // namespace tessera
