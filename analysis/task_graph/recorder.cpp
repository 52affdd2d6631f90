#include "analysis/task_graph/recorder.h"

#include <utility>

#include "core/passes/at_once.h"

namespace tessera::graph {
void Recorder::begin(const Program& program, const RunOptions& options) {
  program_ = program;
  writes_blocks_ = options.machine.profile.block_write_backs;
  moves_at_once_ = is_at_once(program_);
  topology_ = Topology{options.machine.devices, options.machine.cores};
  numbers_.emplace(program_);
  const auto cores = static_cast<std::size_t>(topology_.count());
  for (const Buffer& buffer : program_.buffers) is_result_.add(buffer.role == Role::out);
  needs_.resize(program_.body.size());
  log_.items.resize(cores);
  lives_.assign(cores, Table<BufferId, Lifetime>(program_.buffers.size()));
  cells_.assign(cores, Table<SemaphoreId, std::vector<GraphCellId>>(program_.semaphores.size()));
  copies_.resize(cores);
  last_.resize(cores);
  is_inside_.assign(cores, false);
}

bool Recorder::is_full() const { return log_.actions.size() > max_actions; }

Expected<Log> Recorder::take() {
  if (!numbers_->refused().empty()) return numbers_->refused();
  if (is_full()) return too_many_actions();
  return std::move(log_);
}

ActionId Recorder::action_of(const Event& event) const {
  if (event.agent.is_copy()) return copy(event.agent);
  return numbers_->is_control(event.statement) ? ActionId() : last_[core_index(event)].action;
}

Recorder::Lifetime& Recorder::lifetime(CoreIndex core, BufferId buffer) {
  return lives_[topology_.owner(core, program_.buffers[buffer].space)][buffer];
}

MemoryId Recorder::memory(CoreIndex core, BufferId buffer) {
  Lifetime& now = lifetime(core, buffer);
  if (!now.memory)
    now.memory = log_.memories.add(
        {topology_.owner(core, program_.buffers[buffer].space), buffer, now.number, now.is_inner});
  return now.memory;
}

GraphCellId Recorder::cell(CoreIndex core, SemaphoreId semaphore, std::int64_t cell) {
  std::vector<GraphCellId>& cells = cells_[core][semaphore];
  const auto at = static_cast<std::size_t>(cell);
  if (at >= cells.size()) cells.resize(at + 1);
  if (!cells[at]) cells[at] = log_.cells.add({semaphore});
  return cells[at];
}

Item& Recorder::add(CoreIndex core, ItemKind kind, const Event& event) {
  log_.items[core].push_back({.kind = kind, .step = event.step});
  return log_.items[core].back();
}

void Recorder::on(const Event& event) {
  switch (event.kind) {
    case EventKind::alloc:
    case EventKind::release:
      return on_lifetime(event);
    case EventKind::start:
      return on_start(event);
    case EventKind::signal:
    case EventKind::wait:
    case EventKind::await:
    case EventKind::read_sem:
      return on_semaphore(event);
    case EventKind::read:
    case EventKind::write:
    case EventKind::accumulate:
    case EventKind::update:
    case EventKind::fresh:
      return event.agent.is_copy() ? on_copy(event) : on_core(event);
    case EventKind::enter:
    case EventKind::leave:
      return on_region(event);
    case EventKind::point:
    case EventKind::points_end:
    case EventKind::choice:
      return;
  }
}

void Recorder::on_region(const Event& event) {
  if (!moves_at_once_) return;
  const bool enters = event.kind == EventKind::enter;
  const Stmt& s = program_.body[event.statement];
  const StmtId pipeline = pipeline_of(enters ? s.op : program_.body[s.partner].op);
  if (!pipeline) return;
  is_told_ = enters && event.is_known;
  if (!enters && event.is_known) return;
  const CoreIndex here = core_index(event);
  is_inside_[here] = enters && !is_told_;
  if (!enters && event.token >= 0) end_pattern(here);
  Item& item = add(here, enters ? ItemKind::enter : ItemKind::leave, event);
  if (!enters) return;
  Entry entry{.pipeline = pipeline};
  if (is_told_) {
    entry.instance = add_instance(event);
  } else if (event.token >= 0) {
    begin_pattern(event);
    entry.pattern = seen_;
  }
  item.entry = log_.entries.add(entry);
}

void Recorder::on_lifetime(const Event& event) {
  const CoreIndex here = core_index(event);
  const bool begins = event.kind == EventKind::alloc;
  if (event.object_kind == ObjectKind::buffer && begins) {
    Lifetime& now = lifetime(here, event.object.buffer());
    now = {now.number + 1, is_inside_[here], MemoryId()};
    if (seen_) log_.instances.patterns[seen_].begun.push_back(event.object.buffer());
  }
  Item& item = add(here, begins ? ItemKind::open : ItemKind::close, event);
  item.object_kind = event.object_kind;
  item.object = event.object;
}

void Recorder::on_semaphore(const Event& event) {
  const GraphCellId counted = cell(event.core, event.object.semaphore(), event.cell);
  if (event.kind == EventKind::signal) {
    const bool is_own = event.agent.is_copy() && log_.actions[copy(event.agent)].is_local;
    if (!is_own) log_.cells[counted].is_own = false;
    if (!event.agent.is_copy()) add(core_index(event), ItemKind::signal, event);
    return;
  }
  if (event.kind != EventKind::wait) log_.cells[counted].is_own = false;
  Item& item = add(core_index(event), ItemKind::wait, event);
  item.cell = counted;
  item.amount = event.amount;
}

}  // namespace tessera::graph
