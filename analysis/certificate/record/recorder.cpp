#include "analysis/certificate/record/recorder.h"

#include <algorithm>
#include <utility>

#include "core/passes/at_once.h"

namespace tessera {
namespace {

AccessKind access_kind(EventKind kind) {
  if (kind == EventKind::read) return AccessKind::read;
  return kind == EventKind::accumulate ? AccessKind::accumulate : AccessKind::write;
}

bool is_scoped(const Program& program, const Event& event) {
  return program.semaphores[event.object.semaphore()].scoped;
}

}  // namespace

void Recorder::begin(const Program& program, const RunOptions& options) {
  record_ = {};
  events_ = 0;
  program_ = program;
  record_.program = &program_;
  record_.topology = {options.machine.devices, options.machine.cores};
  record_.has_math = options.math != Math::none;
  record_.granularity =
      granularity_ == CopyGranularity::partial ? granularity_ : options.copies.granularity;
  loops_ = std::make_shared<LoopLog>();
  loops_->begin(program_, record_.cores());
  in_order_ = options.copies.order == DmaOrder::fifo;
  record_.granule = options.machine.profile.dma_granule;
  shares_scoped_ = options.machine.profile.shares_scoped_semaphores;
  const std::size_t cores = record_.core_ids().size();
  copies_.assign(cores, {});
  last_step_.assign(cores, 0);
  for (const RecordedAgentId core : record_.core_ids())
    record_.agents.add({.id = record_.topology.agent(Record::core_of(core)), .issuer = core});
  states_.assign(record_.agents.size(), {});
  first_declaration_.clear();
  range_ids_ = {};
  stream_ = {};
  is_full_ = false;
  const Semaphores semaphores(program);
  for (const SemaphoreId s : program.semaphores.ids()) first_declaration_.add(semaphores.first(s));
  cell_ids_.assign(cores, Table<SemaphoreId, std::vector<CellId>>(program.semaphores.size()));
  enter_or_leave(true);
  // Iterations that are compared as agents need all their events.
  joiner_.reset();
  if (!is_at_once(program_) || keeps_points_) return;
  joiner_ = std::make_unique<Joiner>(program_, options, granularity_ == CopyGranularity::partial,
                                     [this](const Event& event) { record(event); });
  loops_ = nullptr;  // only findings need it, and they are searched in the expanded program
}

RecordedAgentId Recorder::agent_of(const AgentId& id) const {
  const RecordedAgentId core = record_.core_of(id);
  if (!id.is_copy()) return core;
  return copies_[core][static_cast<std::size_t>(id.dma)];
}

std::vector<CellId>& Recorder::cell_ids(const Event& event) {
  return cell_ids_[Record::core_at(event.core)][first_declaration_[event.object.semaphore()]];
}

CellId Recorder::cell_of(const Event& event) {
  std::vector<CellId>& ids = cell_ids(event);
  const auto cell = static_cast<std::size_t>(event.cell);
  if (cell >= ids.size()) ids.resize(std::max(cell + 1, 2 * ids.size()));
  CellId& id = ids[cell];
  if (!id) {
    const SemaphoreId first = first_declaration_[event.object.semaphore()];
    id = record_.cells.add({event.core, first, event.cell});
  }
  return id;
}

// The semaphore counts from 0 again, so it gets new cells.
void Recorder::begin_lifetime(const Event& event) { cell_ids(event).clear(); }

RangeId Recorder::range_of(const Range& range, StmtId statement) {
  const auto hint = (static_cast<std::uint32_t>(range.core.index) * 1021 +
                     static_cast<std::uint32_t>(statement.index)) *
                        4 +
                    static_cast<std::uint32_t>(range.object);
  return range_ids_.of(range, hint, record_.ranges);
}

Range Recorder::range(const Event& event) const {
  Range range{.core = event.core,
              .owner = event.core,
              .kind = event.object_kind,
              .object = event.object.index};
  if (record_.topology.cores > 1 && event.object_kind == ObjectKind::buffer)
    range.owner =
        record_.topology.owner(event.core, record_.program->buffers[range.buffer()].space);
  if (event.box != nullptr) range.box = *event.box;
  return range;
}

void Recorder::add(RecordedAgentId agent, const Event& event, RecordedEvent recorded) {
  recorded.agent = agent;
  recorded.statement = event.statement;
  recorded.step =
      record_.is_core(agent) ? static_cast<std::int32_t>(event.agent_step) : states_[agent].side;
  if (record_.is_core(agent)) {
    last_step_[agent] = recorded.step + 1;
  }
  stream_.push_back(recorded);
}

void Recorder::access(RecordedAgentId agent, const Event& event, AccessKind kind,
                      const Range& range) {
  ++record_.accesses;
  add(agent, event,
      {.act = Act::access, .access = kind, .object = range_of(range, event.statement)});
}

// True if the event continues a side of the copy that has begun. The first part represents the
// whole side: earlier counts cannot prevent the actions of the recorded run.
bool Recorder::is_later_part(RecordedAgentId agent, const Event& event) {
  CopyState& state = states_[agent];
  if (state.side_step == event.agent_step) return state.is_later_part;
  const bool is_read = event.object_kind == ObjectKind::buffer && event.kind == EventKind::read;
  state.side = is_read ? 0 : 1;
  state.side_step = event.agent_step;
  state.side_begin = stream_.size();
  state.is_later_part = std::exchange(state.has_begun[state.side], true);
  return state.is_later_part;
}

void Recorder::start(const Event& event) {
  const RecordedAgentId core = record_.core_of(event.agent);
  AgentId id = event.agent;
  id.dma = event.token;
  const RecordedAgentId copy =
      record_.agents.add({.id = id, .issuer = core, .statement = event.statement});
  copies_[core].push_back(copy);
  states_.add({.bytes = event.amount});
  ++record_.transfers;
  add(core, event, {.act = Act::start, .object = copy});
}

// True if the side of the copy that ends here accessed an operand of another core.
bool Recorder::reaches_operand(RecordedAgentId agent, const Event& event) const {
  const CopyState& state = states_[agent];
  if (event.core == record_.topology.of(event.agent) || state.side_step != event.agent_step)
    return false;
  const RecordedEvent& side = stream_[state.side_begin];
  const Range& range = record_.ranges[side.range()];
  return record_.program->buffers[range.buffer()].role != Role::scratch;
}

void Recorder::signal(RecordedAgentId agent, const Event& event) {
  const Program& program = *record_.program;
  const bool is_copy = event.agent.is_copy();
  // The access represents the semaphore's lifetime. A copy into scratch needs no such access,
  // because its destination begins with the kernel as well. A core's signal and a copy into an
  // operand need it.
  const bool is_barrier = program.semaphores[event.object.semaphore()].kind == SemKind::barrier;
  const bool is_own = !is_copy && event.core == record_.topology.of(event.agent);
  const bool is_covered = is_copy && !is_scoped(program, event) && !reaches_operand(agent, event);
  if (!is_barrier && !is_own && !is_covered) access(agent, event, AccessKind::read, range(event));
  const std::int64_t amount = is_copy ? states_[agent].bytes : event.amount;
  add(agent, event, {.act = Act::signal, .amount = amount, .object = cell_of(event)});
}

void Recorder::drop() {
  loops_ = nullptr;
  record_.loops = nullptr;
  forget();
}

void Recorder::forget() {
  events_ += static_cast<std::int64_t>(stream_.size() + record_.events.size());
  stream_ = {};
  record_.events = {};
  record_.ranges = {};
  record_.order = {};
  for (RecordedAgent& agent : record_.agents) agent.begin = agent.end = EventId(0);
  range_ids_ = {};
}

void Recorder::note_loops(const Event& event) {
  if (is_full_) loops_ = nullptr;
  if (loops_ != nullptr && !event.agent.is_copy())
    loops_->note(record_.core_of(event.agent), event);
}

void Recorder::record(const Event& event) {
  if (record_.is_over_budget) return;
  if (static_cast<std::int64_t>(stream_.size()) >= budget_) {
    forget();
    record_.is_over_budget = is_full_ = true;
    return;
  }
  const RecordedAgentId agent =
      event.kind == EventKind::start ? RecordedAgentId() : agent_of(event.agent);
  if (event.agent.is_copy() && is_later_part(agent, event)) return;
  switch (event.kind) {
    case EventKind::read:
    case EventKind::write:
    case EventKind::update:
    case EventKind::accumulate:
      return access(agent, event, access_kind(event.kind), range(event));
    case EventKind::fresh:  // the old values are lost
      return access(agent, event, AccessKind::write, range(event));
    case EventKind::alloc:
      if (event.object_kind == ObjectKind::semaphore && !shares_scoped_) return;
      if (event.object_kind == ObjectKind::semaphore) begin_lifetime(event);
      return access(agent, event, AccessKind::lifetime, range(event));
    case EventKind::release:
      if (event.object_kind == ObjectKind::semaphore && !shares_scoped_ &&
          record_.program->semaphores[event.object.semaphore()].monotone)
        begin_lifetime(event);
      return access(agent, event, AccessKind::lifetime, range(event));
    case EventKind::start:
      return start(event);
    case EventKind::signal:
      return signal(agent, event);
    case EventKind::wait:
      return add(agent, event,
                 {.act = Act::wait, .amount = event.amount, .object = cell_of(event)});
    case EventKind::await:
      return add(agent, event,
                 {.act = Act::await, .amount = event.amount, .object = cell_of(event)});
    case EventKind::read_sem:
      record_.sem_reads.push_back(event.statement);
      return add(agent, event, {.act = Act::poll, .object = cell_of(event)});
    case EventKind::point:
      if (event.amount != 0) record_.points.push_back(event.statement);
      if (keeps_points_) add(agent, event, {.act = Act::point, .amount = event.amount});
      return;
    case EventKind::points_end:
      if (keeps_points_) add(agent, event, {.act = Act::points_end});
      return;
    case EventKind::choice:
      if (record_.choices.empty() || record_.choices.back() != event.statement)
        record_.choices.push_back(event.statement);
      return;
    case EventKind::enter:
    case EventKind::leave:
      return;
  }
}

// Entering the kernel begins the lifetimes of its scratch and semaphores. Leaving it ends the
// lifetimes of these and its operands.
void Recorder::enter_or_leave(bool is_enter) {
  for (const RecordedAgentId core : record_.core_ids()) {
    Range all{.core = Record::core_of(core), .owner = Record::core_of(core)};
    all.object = is_enter ? 0 : 1;
    const std::int32_t step = is_enter ? 0 : last_step_[core];
    stream_.push_back({.act = Act::access,
                       .access = AccessKind::lifetime,
                       .object = range_of(all, StmtId()),
                       .agent = core,
                       .step = step});
  }
}

}  // namespace tessera
