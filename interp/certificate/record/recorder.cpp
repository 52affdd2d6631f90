#include "interp/certificate/record/recorder.h"

#include <algorithm>
#include <utility>

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
  record_.topology = {options.devices, options.cores};
  record_.has_math = options.math != Math::none;
  record_.landing = landing_ == Landing::partial ? landing_ : options.landing;
  loops_ = std::make_shared<LoopLog>();
  loops_->begin(program_, record_.cores());
  in_order_ = options.dma_order == DmaOrder::fifo;
  record_.granule = options.profile.dma_granule;
  shares_scoped_ = options.profile.shares_scoped_semaphores;
  const std::int32_t cores = record_.cores();
  copies_.assign(static_cast<std::size_t>(cores), {});
  last_step_.assign(static_cast<std::size_t>(cores), 0);
  for (std::int32_t core = 0; core < cores; ++core)
    record_.agents.push_back({.id = record_.topology.agent(core), .issuer = core});
  states_.assign(record_.agents.size(), {});
  first_declaration_.clear();
  range_ids_ = {};
  stream_ = {};
  is_full_ = false;
  const Semaphores semaphores(program);
  for (const SemaphoreId s : program.semaphores.ids()) first_declaration_.add(semaphores.first(s));
  cell_ids_.assign(program.semaphores.size() * static_cast<std::size_t>(cores), {});
  enter_or_leave(true);
}

std::int32_t Recorder::agent_of(const AgentId& id) const {
  const std::int32_t core = record_.topology.of(id);
  if (!id.is_copy()) return core;
  return copies_[static_cast<std::size_t>(core)][static_cast<std::size_t>(id.dma)];
}

std::vector<std::int32_t>& Recorder::cell_ids(const Event& event) {
  const std::size_t semaphores = record_.program->semaphores.size();
  // The cells of all sites are one table, site after site.
  const auto first = static_cast<std::size_t>(first_declaration_[event.object.semaphore()].index);
  return cell_ids_[static_cast<std::size_t>(event.site) * semaphores + first];
}

std::int32_t Recorder::cell_of(const Event& event) {
  std::vector<std::int32_t>& ids = cell_ids(event);
  const auto cell = static_cast<std::size_t>(event.cell);
  if (cell >= ids.size()) ids.resize(std::max(cell + 1, 2 * ids.size()), -1);
  std::int32_t& id = ids[cell];
  if (id < 0) {
    id = static_cast<std::int32_t>(record_.cells.size());
    const SemaphoreId first = first_declaration_[event.object.semaphore()];
    record_.cells.push_back({event.site, first, event.cell});
  }
  return id;
}

// A semaphore that counts from 0 again: its cells are others.
void Recorder::begin_life(const Event& event) { cell_ids(event).clear(); }

std::int32_t Recorder::range_of(const Range& range, std::int32_t statement) {
  const auto hint =
      (static_cast<std::uint32_t>(range.site) * 1021 + static_cast<std::uint32_t>(statement)) * 4 +
      static_cast<std::uint32_t>(range.object);
  return range_ids_.of(range, hint, record_.ranges);
}

Range Recorder::range(const Event& event) const {
  Range range{.site = event.site,
              .home = event.site,
              .kind = event.object_kind,
              .object = event.object.index};
  if (record_.topology.cores > 1 && event.object_kind == ObjectKind::buffer)
    range.home = record_.topology.home(event.site, record_.program->buffers[range.buffer()].space);
  if (event.box != nullptr) range.box = *event.box;
  return range;
}

void Recorder::add(std::int32_t agent, const Event& event, RecordedEvent recorded) {
  recorded.agent = agent;
  recorded.statement = event.statement;
  recorded.step = record_.is_core(agent) ? static_cast<std::int32_t>(event.agent_step)
                                         : states_[static_cast<std::size_t>(agent)].half;
  if (record_.is_core(agent)) {
    last_step_[static_cast<std::size_t>(agent)] = recorded.step + 1;
  }
  stream_.push_back(recorded);
}

void Recorder::access(std::int32_t agent, const Event& event, AccessKind kind, const Range& range) {
  ++record_.accesses;
  add(agent, event,
      {.act = Act::access, .access = kind, .object = range_of(range, event.statement)});
}

// Whether a copy of the run goes on with a half that it has begun: the first part stands for all of
// it, for what is counted earlier keeps nobody from what the run did.
bool Recorder::is_later_part(std::int32_t agent, const Event& event) {
  CopyState& state = states_[static_cast<std::size_t>(agent)];
  if (state.half_step == event.agent_step) return state.is_later_part;
  const bool is_read = event.object_kind == ObjectKind::buffer && event.kind == EventKind::read;
  state.half = is_read ? 0 : 1;
  state.half_step = event.agent_step;
  state.half_begin = stream_.size();
  state.is_later_part = std::exchange(state.has_begun[state.half], true);
  return state.is_later_part;
}

void Recorder::start(const Event& event) {
  const auto agent = static_cast<std::int32_t>(record_.agents.size());
  const std::int32_t core = record_.topology.of(event.agent);
  copies_[static_cast<std::size_t>(core)].push_back(agent);
  AgentId id = event.agent;
  id.dma = event.token;
  record_.agents.push_back({.id = id, .issuer = core, .statement = event.statement});
  states_.push_back({.bytes = event.amount});
  ++record_.transfers;
  add(core, event, {.act = Act::start, .object = agent});
}

// Whether the half of a copy that ends here was in an operand, and not of the core itself.
bool Recorder::reaches_operand(std::int32_t agent, const Event& event) const {
  const CopyState& state = states_[static_cast<std::size_t>(agent)];
  if (event.site == record_.topology.of(event.agent) || state.half_step != event.agent_step)
    return false;
  const RecordedEvent& half = stream_[state.half_begin];
  const Range& range = record_.ranges[static_cast<std::size_t>(half.object)];
  return record_.program->buffers[range.buffer()].role != Role::scratch;
}

void Recorder::signal(std::int32_t agent, const Event& event) {
  const Program& program = *record_.program;
  const bool is_copy = event.agent.is_copy();
  // A copy into scratch touches what begins with the kernel anyway; a core's signal, and that of a
  // copy into an operand, have the semaphore alone.
  const bool is_barrier = program.semaphores[event.object.semaphore()].kind == SemKind::barrier;
  const bool is_own = !is_copy && event.site == record_.topology.of(event.agent);
  const bool is_covered = is_copy && !is_scoped(program, event) && !reaches_operand(agent, event);
  if (!is_barrier && !is_own && !is_covered) access(agent, event, AccessKind::read, range(event));
  const std::int64_t amount =
      is_copy ? states_[static_cast<std::size_t>(agent)].bytes : event.amount;
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
  for (RecordedAgent& agent : record_.agents) agent.begin = agent.end = 0;
  range_ids_ = {};
}

void Recorder::note_loops(const Event& event) {
  if (is_full_) loops_ = nullptr;
  if (loops_ != nullptr && !event.agent.is_copy())
    loops_->note(record_.topology.of(event.agent), event);
}

void Recorder::take(const Event& event) {
  if (record_.is_over_budget) return;
  if (static_cast<std::int64_t>(stream_.size()) >= budget_) {
    forget();
    record_.is_over_budget = is_full_ = true;
    return;
  }
  const std::int32_t agent = event.kind == EventKind::start ? -1 : agent_of(event.agent);
  if (event.agent.is_copy() && is_later_part(agent, event)) return;
  switch (event.kind) {
    case EventKind::read:
    case EventKind::write:
    case EventKind::update:
    case EventKind::accumulate:
      return access(agent, event, access_kind(event.kind), range(event));
    case EventKind::fresh:  // what was there is lost
      return access(agent, event, AccessKind::write, range(event));
    case EventKind::alloc:
      if (event.object_kind == ObjectKind::semaphore && !shares_scoped_) return;
      if (event.object_kind == ObjectKind::semaphore) begin_life(event);
      return access(agent, event, AccessKind::life, range(event));
    case EventKind::release:
      if (event.object_kind == ObjectKind::semaphore && !shares_scoped_ &&
          record_.program->semaphores[event.object.semaphore()].monotone)
        begin_life(event);
      return access(agent, event, AccessKind::life, range(event));
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

// Entering the kernel begins the life of its scratch and semaphores, leaving it ends that of
// everything it was given.
void Recorder::enter_or_leave(bool is_enter) {
  for (std::int32_t core = 0; core < record_.cores(); ++core) {
    Range all{.site = core, .home = core};
    all.object = is_enter ? 0 : 1;
    const std::int32_t step = is_enter ? 0 : last_step_[static_cast<std::size_t>(core)];
    stream_.push_back({.act = Act::access,
                       .access = AccessKind::life,
                       .object = range_of(all, -1),
                       .agent = core,
                       .step = step});
  }
}

}  // namespace tessera
