// A run as the analysis sees it: for each agent the list of its accesses and synchronisation, no
// data. recorder.h makes it from one run under any schedule.
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

// poll: reads a count without waiting for it. point, points_end: of a parallel loop, where they are
// kept.
enum class Act : std::uint8_t { none, access, signal, wait, await, start, poll, point, points_end };
// What an access does; `lifetime`: its object, or a kernel's part in the run, begins or ends.
enum class AccessKind : std::uint8_t { read, write, accumulate, lifetime };

// What an event is about, by its act. Made of an id implicitly, so that an event is written in one
// expression.
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
  std::int64_t amount : 48 = 0;  // of signal, wait, await
  EventObject object{};
  RecordedAgentId agent{};
  StmtId statement;       // -1: entering or leaving the kernel
  std::int32_t step = 0;  // the agent's own, from 0

  RangeId range() const { return object.range(); }        // of an access
  CellId cell() const { return object.cell(); }           // of a signal, wait, await or poll
  RecordedAgentId copy() const { return object.copy(); }  // that a start starts
};
// There may be a hundred million. A count has 32 bits, a copy not more bytes than an address.
static_assert(sizeof(RecordedEvent) == 24);

struct RecordedAgent {
  AgentId id{};
  EventId begin{0}, end{0};  // its events
  RecordedAgentId issuer{};  // the core that started the copy; a core: itself
  RecordedAgentId before{};  // copies in order: the one that lands before this one does
  EventId started_at{};      // copy: the event that started it
  StmtId statement;          // copy: its start

  // Whether it did nothing.
  bool is_empty() const { return begin == end; }
  IdRange<EventId> events() const { return {begin, end}; }
};

// A copy reads everything in its step 0, and writes everything in its step 1, each step with the
// count that it makes. With partial copies a granule that is not read or written yet holds
// nothing back but the last count.
struct Record {
  const Program* program = nullptr;
  Topology topology{0, 1};
  // Cores by their index, then copies in the order of their start.
  Table<RecordedAgentId, RecordedAgent> agents;
  Table<EventId, RecordedEvent, UntouchedVector<RecordedEvent>> events;  // agent after agent
  std::vector<EventId> order;                                            // as the run did them
  Table<RangeId, Range> ranges;
  Table<CellId, SemId> cells;     // semaphores that were used; of one barrier the first declaration
  std::vector<StmtId> sem_reads;  // statements that read a count, ascending
  std::vector<StmtId> points;     // parallel loops whose points had an order, ascending
  std::vector<StmtId> choices;    // ops that chose from undefined elements, ascending
  std::shared_ptr<const LoopLog> loops{};  // where in their loops the cores were
  std::int64_t accesses = 0, transfers = 0, peak_in_flight = 0;
  bool has_math = true;                                  // tiles of floats were computed
  CopyGranularity granularity = CopyGranularity::whole;  // of copies
  bool is_complete = false;                              // every core finished
  bool is_over_budget = false;                           // then nothing else is here

  std::int64_t granule = 1;  // bytes; of the profile

  std::int32_t cores() const { return topology.count(); }  // of all devices
  bool is_core(RecordedAgentId agent) const { return agent < RecordedAgentId(cores()); }
  // The agents that are cores, and those that are copies.
  IdRange<RecordedAgentId> core_ids() const {
    return {RecordedAgentId(0), RecordedAgentId(cores())};
  }
  IdRange<RecordedAgentId> copy_ids() const { return {RecordedAgentId(cores()), agents.next()}; }
  // Whose a cell is.
  RecordedAgentId owner(CellId cell) const { return core_at(cells[cell].core); }
  RecordedAgentId core_of(const AgentId& id) const { return core_at(topology.of(id)); }
  // Conversion between the id of a core as an agent and its index, which are the same number.
  static RecordedAgentId core_at(CoreIndex core_index) { return RecordedAgentId(core_index.index); }
  static CoreIndex core_of(RecordedAgentId core) { return CoreIndex(core.index); }
  // Where in its loops an event happened; of a copy's: where the copy was started.
  LoopIndices loops_of(EventId event) const;
  const RecordedEvent& event(EventId e) const { return events[e]; }
  // Of a copy: the bytes of its granules, and the first event of its step 1 (or its end).
  std::int64_t granule_of(const RecordedAgent& copy) const;
  EventId write_begin(const RecordedAgent& copy) const;
  // Whether a copy may land in parts: with partial copies, if it has more than one granule.
  bool is_partial(const RecordedAgent& copy) const;
  // What this signal of a copy counts when one granule is missing; 0 when the copy
  // lands whole.
  std::int64_t but_a_granule(const RecordedEvent& signal) const;
};

// The copies that each core started, in the order of their start.
Lists<RecordedAgentId, RecordedAgentId> copies_by_issuer(const Record& record);

}  // namespace tessera
