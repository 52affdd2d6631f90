// Record of a run for the analysis: the accesses and synchronisation of each agent, without data.
// recorder.h creates it from one run under any schedule.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/certificate/races/range.h"
#include "analysis/certificate/record/ids.h"
#include "analysis/certificate/record/lists.h"
#include "analysis/certificate/record/loop_log.h"
#include "analysis/certificate/record/untouched.h"
#include "interp/machine/semaphores.h"
#include "interp/machine/topology.h"
#include "interp/run_options.h"

namespace tessera {

// poll: reads a count without waiting. point, points_end: an iteration of a parallel loop begins,
// or the loop ends; recorded only with Recorder::keeps_points_.
enum class Act : std::uint8_t { none, access, signal, wait, await, start, poll, point, points_end };
// lifetime: the lifetime of the object, or the presence of a core in the kernel, begins or ends.
enum class AccessKind : std::uint8_t { read, write, accumulate, lifetime };

// Object of an event, according to its act. Implicitly constructible from an id, so that an event
// can be written as one expression.
class EventObject {
 public:
  EventObject() = default;
  EventObject(RangeId range) : index_(range.index) {}        // NOLINT: of an access
  EventObject(CellId cell) : index_(cell.index) {}           // NOLINT: signal, wait, await, poll
  EventObject(RecordedAgentId copy) : index_(copy.index) {}  // NOLINT: of a start
  RangeId range() const { return RangeId(index_); }
  CellId cell() const { return CellId(index_); }
  RecordedAgentId copy() const { return RecordedAgentId(index_); }

 private:
  std::int32_t index_ = -1;
};

struct RecordedEvent {
  Act act = Act::none;
  AccessKind access = AccessKind::read;
  std::int64_t amount : 48 = 0;  // signal, wait, await: the count; point: the iteration
  EventObject object{};
  RecordedAgentId agent{};
  StmtId statement;       // -1: entering or leaving the kernel
  std::int32_t step = 0;  // number within the agent, from 0

  RangeId range() const { return object.range(); }        // requires an access
  CellId cell() const { return object.cell(); }           // requires a signal, wait, await or poll
  RecordedAgentId copy() const { return object.copy(); }  // requires a start; the started copy
};
// There may be 100 million events. 48 bits are enough for an amount: a count has 32 bits, and a
// copy is smaller than the address space.
static_assert(sizeof(RecordedEvent) == 24);

struct RecordedAgent {
  AgentId id{};
  EventId begin{0}, end{0};  // range of its events
  RecordedAgentId issuer{};  // core that started the copy; for a core: itself
  RecordedAgentId before{};  // with copies in order: the copy that completes before this one
  EventId started_at{};      // copy: the event that started it
  StmtId statement;          // copy: its start

  // True if the agent has no events.
  bool is_empty() const { return begin == end; }
  IdRange<EventId> events() const { return {begin, end}; }
};

// A copy reads its whole source in step 0, then writes its whole destination in step 1. Each step
// includes its signal. With partial copies, a missing granule delays only the last count.
struct Record {
  const Program* program = nullptr;
  Topology topology{0, 1};
  // Cores by their index, then copies in start order.
  Table<RecordedAgentId, RecordedAgent> agents;
  Table<EventId, RecordedEvent, UntouchedVector<RecordedEvent>> events;  // grouped by agent
  std::vector<EventId> order;  // events in the order of the run
  Table<RangeId, Range> ranges;
  Table<CellId, SemId> cells;     // used semaphores; declarations of one barrier share a cell
  std::vector<StmtId> sem_reads;  // statements that read a count, ascending
  std::vector<StmtId> points;     // parallel loops whose iterations had an order, ascending
  std::vector<StmtId> choices;    // ops that chose from undefined elements, ascending
  std::shared_ptr<const LoopLog> loops{};  // loop indices of the cores
  std::int64_t accesses = 0, transfers = 0, peak_in_flight = 0;
  bool has_math = true;  // float tiles were computed
  CopyGranularity granularity = CopyGranularity::whole;
  bool is_complete = false;     // every core finished
  bool is_over_budget = false;  // then there are no events

  std::int64_t granule = 1;  // in bytes, from the profile

  std::int32_t cores() const { return topology.count(); }  // on all devices
  bool is_core(RecordedAgentId agent) const { return agent < RecordedAgentId(cores()); }
  // Agent ids of the cores, and of the copies.
  IdRange<RecordedAgentId> core_ids() const {
    return {RecordedAgentId(0), RecordedAgentId(cores())};
  }
  IdRange<RecordedAgentId> copy_ids() const { return {RecordedAgentId(cores()), agents.next()}; }
  // Returns the core that owns a cell.
  RecordedAgentId owner(CellId cell) const { return core_at(cells[cell].core); }
  RecordedAgentId core_of(const AgentId& id) const { return core_at(topology.of(id)); }
  // Convert between the agent id of a core and its index, which are the same number.
  static RecordedAgentId core_at(CoreIndex core_index) { return RecordedAgentId(core_index.index); }
  static CoreIndex core_of(RecordedAgentId core) { return CoreIndex(core.index); }
  // Returns the loop indices at an event; for an event of a copy, at its start. Empty if they were
  // not recorded.
  LoopIndices loops_of(EventId event) const;
  const RecordedEvent& event(EventId e) const { return events[e]; }
  // Return the bytes per granule of a copy (`granule`, rounded up to whole elements), and the first
  // event of its step 1 (or its end). granule_of: the first event must be an access to a buffer.
  std::int64_t granule_of(const RecordedAgent& copy) const;
  EventId write_begin(const RecordedAgent& copy) const;
  // True if a copy may complete in parts: with partial copies, if it has more than one granule.
  bool is_partial(const RecordedAgent& copy) const;
  // Returns the amount that this signal of a copy counts while a granule is missing, in bytes; 0
  // for whole copies and copies of one granule.
  std::int64_t but_a_granule(const RecordedEvent& signal) const;
};

// Returns the copies that each core started, in start order.
Lists<RecordedAgentId, RecordedAgentId> copies_by_issuer(const Record& record);

}  // namespace tessera
