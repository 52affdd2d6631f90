// How a program is run: the machine, the schedule, what is checked, who observes and what ends it.
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

class Listener;  // interp/observe/listener.h
class Observer;  // interp/observe/observer.h

// Of copies: whole: each reads all and then writes all; partial: it does both in parts
// (interp/dma/copy.h).
enum class Landing : std::uint8_t { whole, partial };
inline constexpr std::array<std::string_view, 2> landings = {"whole", "partial"};
inline std::string_view name(Landing landing) {
  return landings[static_cast<std::size_t>(landing)];
}
enum class DmaOrder : std::uint8_t { unordered, fifo };  // fifo: of landings (interp/dma/copies.h)
enum class Uninitialised : std::uint8_t { use, strict, poison };

inline constexpr std::int64_t no_step_limit = std::numeric_limits<std::int64_t>::max();

// Phases of a long run, for the progress callback.
enum class Phase : std::uint8_t { running, analysing };

struct RunOptions {
  int devices = 1;
  int cores = 1;  // per device
  // Loop workers per core: they run the iterations of parallel loops concurrently
  // (interp/machine/point_cores.h), in a program that is expanded iteration by iteration. 0: each
  // core runs its iterations in order.
  int point_cores = 0;
  MachineProfile profile{};
  std::string schedule = "eager";  // a strategy, or steps:... (interp/schedule/schedule.h)
  Landing landing = Landing::whole;
  DmaOrder dma_order = DmaOrder::unordered;
  int slow_device = -1;  // moves only if no other device can; -1: none
  Math math = Math::library;
  // False: results are not used, so arithmetic is skipped unless control flow depends on it.
  bool wants_values = true;
  Uninitialised uninitialised = Uninitialised::use;
  bool checked = true;           // false: no shadow state and no observers, for measuring only
  bool record_schedule = false;  // fill RunResult::schedule even without a finding
  bool hash_results = false;     // fill RunResult::results
  // Returns the program that runs in place of the given one; its statements keep their source
  // locations. Empty: the given program runs.
  std::function<Program(const Program&)> rewrite{};
  // How copies complete in the verdict on parallel loops; empty: no verdict. If set, a device that
  // expands the program fills RunResult::points, if necessary from a run of single iterations.
  std::optional<Landing> judges_points{};
  std::vector<Observer*> observers{};  // in addition to the built-in checks
  Listener* listener = nullptr;        // receives the output of debug statements; may be null
  // Maximum number of steps; 0: only the launch is checked. 64 ops that are not steps count as one
  // step, because they take about as long, so an empty loop ends too.
  std::int64_t max_steps = no_step_limit;
  // Called from time to time by long runs; steps: number of completed steps. May be empty.
  std::function<void(Phase phase, std::int64_t steps)> progress{};
};

}  // namespace tessera
