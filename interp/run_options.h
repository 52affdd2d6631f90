// Options of a run: machine, schedule, checks, observers and limits.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine/machine_profile.h"
#include "core/program/program.h"
#include "interp/tiles/math.h"

namespace tessera {

class DebugSink;  // interp/observe/debug_sink.h
class Observer;   // interp/observe/observer.h

// Granularity of copies. whole: a copy reads its whole source, then writes its whole destination.
// partial: it reads and writes in parts (interp/dma/copy.h).
enum class CopyGranularity : std::uint8_t { whole, partial };
inline constexpr std::array<std::string_view, 2> copy_granularities = {"whole", "partial"};
inline std::string_view name(CopyGranularity granularity) {
  return copy_granularities[static_cast<std::size_t>(granularity)];
}
// Order in which the copies of one link, from a core to one other device, complete
// (interp/dma/copies.h). unordered: any order.
// fifo: the order of their starts.
enum class DmaOrder : std::uint8_t { unordered, fifo };
// Uses of undefined elements that end the run with a finding. use: a scalar is loaded from one, or
// one is stored to a result. strict: any read. poison: none; they have a fixed value.
enum class Uninitialised : std::uint8_t { use, strict, poison };

inline constexpr std::int64_t no_step_limit = std::numeric_limits<std::int64_t>::max();

// Phases of a long run, for the progress callback.
enum class Phase : std::uint8_t { running, analysing };

// The simulated machine.
struct RunMachine {
  int devices = 1;
  int cores = 1;  // per device
  // Loop workers per core: they run the iterations of parallel loops concurrently
  // (interp/machine/loop_workers.h), in a program that is expanded iteration by iteration. 0: each
  // core runs its iterations in order.
  int loop_workers = 0;
  MachineProfile profile{};
  int slow_device = -1;  // device that steps only if no other device can; -1: none
};

struct RunCopies {
  CopyGranularity granularity = CopyGranularity::whole;
  DmaOrder order = DmaOrder::unordered;
};

// Checks in addition to the results.
struct RunChecks {
  bool enabled = true;  // false: no shadow state and no observers, for measuring only
  Uninitialised uninitialised = Uninitialised::use;
  // How copies complete in the verdict on parallel loops; empty: no verdict. If set, a device that
  // expands the program fills RunResult::points, if necessary from a run of single iterations.
  std::optional<CopyGranularity> loops{};
};

// Optional parts of the result.
struct RunRecord {
  bool schedule = false;  // RunResult::schedule lists the steps
  bool results = false;   // RunResult::results, the hashes of the results
};

struct RunOptions {
  RunMachine machine{};
  std::string schedule = "eager";  // a strategy, or steps:... (interp/schedule/schedule.h)
  RunCopies copies{};
  Math math = Math::library;
  // False: results are not used, so arithmetic is skipped unless control flow depends on it.
  bool computes_values = true;
  RunChecks checks{};
  RunRecord record{};
  // Returns the program that runs in place of the given one; its statements keep their source
  // locations. Empty: the given program runs.
  std::function<Program(const Program&)> rewrite{};
  std::vector<Observer*> observers{};  // in addition to the built-in checks; not owned
  DebugSink* debug_sink = nullptr;     // receives the output of debug statements; may be null
  // Maximum number of steps; 0: only the launch is checked. 64 ops that are not steps count as one
  // step, because they take about as long, so an empty loop ends too.
  std::int64_t max_steps = no_step_limit;
  // Called from time to time by long runs; steps: number of completed steps. May be empty.
  std::function<void(Phase phase, std::int64_t steps)> progress{};
};

}  // namespace tessera
