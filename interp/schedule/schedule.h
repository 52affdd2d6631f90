// Which agent moves next. A schedule is a value with a text form: the name of a strategy and its
// arguments, as in `eager`, `random:7` or `steps:dev0.core0*12,dev1.core0/dma#3`. The table of
// strategies (strategies.cpp) says what each does; each stands in the file of its name.
//
// Items of steps:[order:SEED,]ITEM,... : AGENT[*N] is N steps. Of a partial copy,
// AGENT[@K]:rN reads N granules and AGENT[@K]:wN writes N of those that were read, each in one
// step; without N all that are left, and beginning with granule K when it is the copy's first step.
// A copy that no item tells what to do goes in four steps: all but the last granule are read, then
// written, then the last one. A strategy with a seed draws how many.
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
  enum class Side : std::uint8_t { next, read, write };  // next: what is left to the copy
  Side side = Side::next;
  std::int64_t granules = 0;  // 0: all that there are
  std::int64_t first = 0;     // said when the copy begins
  bool operator==(const CopyPart&) const = default;
};

struct ScheduleItem {
  AgentId agent;
  std::int64_t steps = 1;
  CopyPart part{};
  bool operator==(const ScheduleItem&) const = default;
};

struct Schedule {
  std::string strategy{};                // a name in the table of interp/schedule/strategies.h
  std::uint64_t seed = 0;                // of a strategy that takes one
  std::int64_t depth = 0;                // of a strategy that takes one
  std::optional<std::uint64_t> order{};  // of parallel loops; without it they ascend
  std::vector<ScheduleItem> items{};     // of the strategy that replays them
};

Expected<Schedule> parse_schedule(std::string_view text);
std::string to_string(const Schedule& schedule);
std::string to_string(const ScheduleItem& item);

// An agent of a running machine; cores come first.
using Handle = std::int32_t;
inline constexpr Handle nobody = -1;

// The agents that can move now. When a device is slow, its agents are here only while there are no
// others.
class Enabled {
 public:
  virtual ~Enabled() = default;
  // Every agent, in an order that depends on the run alone.
  virtual std::span<const Handle> all() const = 0;
  virtual Handle first_core() const = 0;  // the core that has been ready longest
  virtual Handle oldest_copy() const = 0;
  virtual Handle newest_copy() const = 0;
  virtual Handle awaited_copy() const = 0;  // the oldest that the longest blocked core needs
  virtual Handle find(const AgentId& agent) const = 0;
  // A number of the agent's own; a handle is used again when its copy has landed.
  virtual std::int64_t serial(Handle agent) const = 0;
  // What a partial copy can do; of anybody else nothing is known.
  struct Open {
    std::int64_t to_read = 0, to_write = 0;  // granules
    std::int64_t granules = 0;               // of a copy that has not begun
  };
  virtual Open open(Handle agent) const = 0;
};

struct Turn {
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
  Handle agent = nobody;
  std::int64_t steps = unlimited;  // at most; a core also stops when it blocks
  bool until_start = false;        // or when it has started a copy
  CopyPart part{};                 // of each step of a copy
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Precondition: at least one agent is enabled. Returns nobody's turn if a replayed schedule does
  // not match this run; problem() then says why.
  virtual Turn next(const Enabled& enabled) = 0;
  // How far the last turn went.
  virtual void moved(std::int64_t /*steps*/) {}
  virtual std::string problem() const { return {}; }
  // One that goes on as this one would.
  virtual std::unique_ptr<Scheduler> clone() const = 0;
};

// A step of a partial copy, drawn; of anybody else what one always does.
CopyPart draw_part(const Enabled::Open& open, SplitMix& random);

}  // namespace tessera
