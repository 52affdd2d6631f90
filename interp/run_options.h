// How a program is run: the machine, the schedule, what is checked, who observes and what ends it.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine/machine_profile.h"
#include "core/program/program.h"
#include "core/report/stop.h"
#include "interp/tiles/math.h"

namespace tessera {

class Listener;  // interp/observe/listener.h
class Observer;  // interp/observe/observer.h
struct DeeperWindows;
struct Remark;
struct PointsVerdict;  // interp/certificate/points/points.h

// Of copies: whole: each reads all and then writes all; partial: it does both in parts
// (interp/dma/copy.h).
enum class Landing : std::uint8_t { whole, partial };
inline constexpr std::array<std::string_view, 2> landings = {"whole", "partial"};
inline std::string_view name(Landing landing) {
  return landings[static_cast<std::size_t>(landing)];
}
enum class DmaOrder : std::uint8_t { unordered, fifo };  // fifo: of landings (interp/dma/copies.h)
enum class Uninitialised : std::uint8_t { use, strict, poison };

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
  std::string schedule = "eager";  // a strategy, or steps:... (interp/schedule/schedule.h)
  Landing landing = Landing::whole;
  DmaOrder dma_order = DmaOrder::unordered;
  int slow_device = -1;  // moves only when nobody else can
  Math math = Math::library;
  // false: nobody looks at results; where control does not depend on arithmetic, it is left out.
  bool wants_values = true;
  Uninitialised uninitialised = Uninitialised::use;
  bool checked = true;           // false: no shadow state and no observers, for measuring only
  bool record_schedule = false;  // fill RunResult::schedule even without a finding
  bool hash_results = false;     // fill RunResult::results
  bool tells_private = false;    // observers see a core's own scalars too; slower
  // A pipeline that does what one before it did is told to observers and not run
  // (interp/machine/pipeline_patterns.h).
  bool knows_patterns = false;
  // Loads of numbers that say what is done are told together, and take no steps
  // (interp/machine/quiet_numbers.h); where nobody runs beside.
  bool joins_loads = false;
  bool identify_only = false;  // fill RunResult::identity and run nothing
  // What runs is what this makes of the program; without it the program as it is. Its statements
  // keep their places in the text.
  std::function<Program(const Program&)> rewrite{};
  // Filled before the run, from one in which each point of a parallel loop does its work by itself;
  // untouched where the program has no such loop.
  PointsVerdict* points = nullptr;
  // Filled before the run, by one for each window of a pipeline that has a slot more; untouched
  // where the program has none.
  DeeperWindows* deeper = nullptr;
  // Filled before the run with what the profile's compiler would refuse (findings/compile_rules.h).
  std::vector<Remark>* compile_notes = nullptr;
  std::vector<Observer*> observers{};  // beside the built-in checks
  Listener* listener = nullptr;        // hears what debug statements tell of this run; null: nobody
  // Largest number of steps; 0: no limit. 64 ops that are not steps count as one step, because
  // they take about as long; so an empty loop ends, too.
  std::int64_t max_steps = 0;
  Stop stop = nullptr;       // ends the run, and what observers make of it, at the next step ...
                             // without it: that of the thread (core/report/stop.h)
  bool launch_only = false;  // takes no step: what can be said of the launch alone
  // Now and then, from long runs; steps: that are done.
  void (*progress)(void* context, Phase phase, std::int64_t steps) = nullptr;
  void* progress_context = nullptr;
};

}  // namespace tessera
