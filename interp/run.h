// Runs an expanded program on the simulated machine. A run is a pure function of (program, inputs,
// schedule).
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/data/tensor.h"
#include "core/machine/machine_profile.h"
#include "core/program/program.h"
#include "core/report/expected.h"
#include "core/report/finding.h"
#include "core/report/stop.h"

namespace tessera {

class Observer;        // interp/observe/observer.h
struct Mutant;         // interp/certificate/mutation/mutants.h
struct Certificate;    // interp/certificate/certificate.h
struct PointsVerdict;  // interp/certificate/points/points.h

enum class Math : std::uint8_t { library, exact, none };
enum class Landing : std::uint8_t { whole, partial };  // partial: copies stream (interp/dma/copy.h)
enum class DmaOrder : std::uint8_t { unordered, fifo };  // fifo: of landings (interp/dma/copies.h)
enum class Uninitialised : std::uint8_t { use, strict, poison };

// What ended a run: the program, with or without a finding, or a limit in the middle of it: of
// steps, of the events that an observer takes, of memory, or a request from outside.
enum class RunEnd : std::uint8_t { program, steps, events, memory, stop };
// A long run tells how far it is.
enum class Phase : std::uint8_t { running, analysing };

struct RunOptions {
  int devices = 1;
  int cores = 1;  // of each device
  // So many run the points of a parallel loop side by side for each core
  // (interp/machine/point_cores.h), of a program that is expanded point by point; 0: each core does
  // its points one after the other.
  int point_cores = 0;
  MachineProfile profile{};
  std::string schedule =
      "eager";  // eager lazy lifo random:SEED, or steps:... (interp/schedule/schedule.h)
  Landing landing = Landing::whole;
  DmaOrder dma_order = DmaOrder::unordered;
  int slow_device = -1;  // moves only when nobody else can
  Math math = Math::library;
  // false: nobody looks at results; where control does not depend on arithmetic, it is left out.
  bool wants_values = true;
  Uninitialised uninitialised = Uninitialised::use;
  bool checked = true;             // false: no shadow state and no observers, for measuring only
  bool record_schedule = false;    // fill RunResult::schedule even without a finding
  bool hash_results = false;       // fill RunResult::results
  bool tells_private = false;      // observers see a core's own scalars too; slower
  bool identify_only = false;      // fill RunResult::identity and run nothing
  const Mutant* mutant = nullptr;  // runs the program with this change
  // Filled before the run, from one in which each point of a parallel loop does its work by itself;
  // untouched where the program has no such loop.
  PointsVerdict* points = nullptr;
  std::vector<Observer*> observers{};  // beside the built-in checks
  // The run ends after so many steps, 0: when it is done. As one step count 256 ops in a row that
  // are none (they take about as long), so that a loop around nothing ends as well.
  std::int64_t max_steps = 0;
  Stop stop = nullptr;       // ends the run, and what observers make of it, at the next step ...
                             // without it: that of the thread (core/report/stop.h)
  bool launch_only = false;  // takes no step: what can be said of the launch alone
  // Now and then, from long runs; steps: that are done.
  void (*progress)(void* context, Phase phase, std::int64_t steps) = nullptr;
  void* progress_context = nullptr;
};

// The operands of one device by name; results are written into the tensors given for them. Shapes
// and dtypes must be those of the program's buffers (storage order included: a buffer of order (1,
// 0) is bound as stored).
using Binding = std::map<std::string, Tensor*, std::less<>>;

struct RunStats {
  std::int64_t steps = 0;  // events: ops that touch memory or semaphores, and halves of copies
  std::int64_t ops = 0;    // IR ops executed by cores
  std::int64_t dmas = 0;
  std::int64_t dma_bytes = 0;
  std::int64_t matmul_flops = 0;
  std::int64_t peak_vmem = 0, peak_smem = 0,
               peak_semaphores = 0;  // bytes, bytes, elements; the largest core
  double wall_seconds = 0;           // of the run alone
};

// What a result held when the run ended, as a number that two runs share when it is the same.
struct ResultHash {
  int device = 0;
  std::string buffer;
  std::uint64_t hash = 0;
  bool operator==(const ResultHash&) const = default;
};

// What would run: two runs of one identity under the same options are the same run.
struct RunIdentity {
  std::uint64_t program = 0;       // of the expanded program's text
  std::vector<ResultHash> inputs;  // operands that something reads
  bool operator==(const RunIdentity&) const = default;
};

struct RunResult {
  std::vector<Finding> findings;
  bool is_complete = false;  // every core finished
  RunEnd end = RunEnd::program;
  bool has_automatic_barrier = false;  // expand() added it
  std::uint64_t trace_hash =
      0;  // of the events: kind, agent, op, range, amount; no values, no addresses
  std::vector<ResultHash> results{};
  std::string schedule;  // text form that replays this run
  RunStats stats;
  std::shared_ptr<const Certificate> certificate{};  // when a Certifier observed the run
  RunIdentity identity{};                            // when it was asked for
};

// Bad bindings, a `require` that fails at launch, unknown schedules and ops that leave open which
// of several cores they mean are diagnostics; what the program does wrong is a finding in the
// result.
// Memory that is not there is one as well (ErrorCode::environment), unless the run ended for it
// after its first step: then the result tells how far it came.
Expected<RunResult> run(const Program& expanded, const std::vector<Binding>& bindings,
                        const RunOptions& options);

// What the program declares for all its time against what a core has: the finding with which each
// run of it would end before its first step.
std::optional<Finding> launch_excess(const Program& expanded, const MachineProfile& profile);

}  // namespace tessera
