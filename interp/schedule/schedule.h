// Order in which agents move. A schedule is a value with a text form: the name of a strategy and
// its arguments, for example `eager`, `random:7` or `steps:dev0.core0*12,dev1.core0/dma#3`. The
// table of strategies (strategies.cpp) describes each strategy; each is implemented in the file of
// its name.
// Items of steps:[order:SEED,]ITEM,... :
// - AGENT[*N]: N steps.
// - AGENT[@K]:rN or AGENT[@K]:wN: one step of a partial copy that reads N granules, or writes N
//   granules that were read; without N: all that are left. @K: begins with granule K; only for the
//   copy's first step.
// A partial copy without such items moves in four steps: all granules except the last are read,
// then written, then the last one is read, then written. A strategy with a seed draws the numbers
// of granules.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/splitmix.h"
#include "core/report/expected.h"
#include "interp/machine/agent.h"

namespace tessera {

// One step of a partial copy.
struct CopyPart {
  enum class Side : std::uint8_t { next, read, write };  // next: the default part
  Side side = Side::next;
  std::int64_t granules = 0;  // 0: all that are left
  std::int64_t first = 0;     // granule that moves first; set only for the first step of the copy
  bool operator==(const CopyPart&) const = default;
};

struct ScheduleItem {
  AgentId agent;
  std::int64_t steps = 1;
  CopyPart part{};
  bool operator==(const ScheduleItem&) const = default;
};

struct Schedule {
  std::string strategy{};                // name in the table of interp/schedule/strategies.h
  std::uint64_t seed = 0;                // for a strategy with a seed
  std::int64_t depth = 0;                // for a strategy with a depth
  std::optional<std::uint64_t> order{};  // seed of the order of iterations; none: ascending
  std::vector<ScheduleItem> items{};     // for the strategy that replays
};

// Parses the text form. Fails if it names no strategy, or if the arguments do not fit the strategy.
Expected<Schedule> parse_schedule(std::string_view text);
// Return the text form. The strategy of the schedule must exist.
std::string to_string(const Schedule& schedule);
std::string to_string(const ScheduleItem& item);

// Number of an agent in a running machine; cores come first.
using Handle = std::int32_t;
inline constexpr Handle nobody = -1;

// Agents that can move now. Agents of a slow device are included only if there are no others.
class Enabled {
 public:
  virtual ~Enabled() = default;
  // All agents, in an order that is determined by the run.
  virtual std::span<const Handle> all() const = 0;
  // The functions below return `nobody` if there is no such enabled agent.
  virtual Handle first_core() const = 0;  // core that has been ready longest
  virtual Handle oldest_copy() const = 0;
  virtual Handle newest_copy() const = 0;
  virtual Handle awaited_copy() const = 0;  // copy to move for the longest blocked core
  virtual Handle find(const AgentId& agent) const = 0;
  // Unique number of the agent. Handles are reused after their copy completes.
  virtual std::int64_t serial(Handle agent) const = 0;
  // Number of granules that a copy can move now. All 0 for cores.
  struct Open {
    std::int64_t to_read = 0, to_write = 0;  // granules
    std::int64_t granules = 0;               // set only if the copy has not begun
  };
  virtual Open open(Handle agent) const = 0;
};

struct Turn {
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
  Handle agent = nobody;
  std::int64_t steps = unlimited;  // maximum; a core also stops when it blocks
  bool until_start = false;        // a core also stops after it has started a copy
  CopyPart part{};                 // for each step of a copy
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Precondition: at least one agent is enabled. Returns a turn without an agent if a replayed
  // schedule does not match this run; problem() then returns the reason.
  virtual Turn next(const Enabled& enabled) = 0;
  // Called after each turn with the number of steps that were done.
  virtual void moved(std::int64_t /*steps*/) {}
  virtual std::string problem() const { return {}; }  // empty if the schedule matches so far
  // Returns a scheduler that continues like this one.
  virtual std::unique_ptr<Scheduler> clone() const = 0;
};

// Draws the part for a step of a partial copy. Returns the default part, without a draw, for other
// agents and if at most one granule can move.
CopyPart draw_part(const Enabled::Open& open, SplitMix& random);

}  // namespace tessera
