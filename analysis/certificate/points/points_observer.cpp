#include "analysis/certificate/points/points_observer.h"

#include <algorithm>

#include "core/passes/at_once.h"
#include "core/program/refs.h"

namespace tessera {
namespace {

BufferId buffer_of(const Program& program, const Slice& slice) {
  return slice.base == no_value ? BufferId() : program.value(slice.base).buffer;
}

// Returns the slice that the statement writes, directly or by its copy.
const Slice* destination(const Op& op) {
  if (const auto* remote = std::get_if<StartRemote>(&op)) return &remote->dst;
  if (const auto* back = std::get_if<WriteBack>(&op)) return &back->dst;
  if (const auto* start = std::get_if<Start>(&op)) return &start->dst;
  return written_slice(op);
}

}  // namespace

void PointsObserver::find_facts() {
  const Program& program = *program_;
  facts_.clear();
  sharing_.emplace(program);
  const Table<BufferId, bool> slots = at_once_slots(program);
  std::vector<LoopFacts*> open;
  std::vector<StmtId> ends;
  for (const StmtId i : program.body.ids()) {
    const Stmt& s = program.body[i];
    while (!ends.empty() && ends.back() <= i) {
      ends.pop_back();
      open.pop_back();
    }
    const Slice* to = destination(s.op);
    for (LoopFacts* loop : open) {
      if (to != nullptr)
        if (const BufferId b = buffer_of(program, *to)) loop->stores[b] = true;
      if (const auto* alloc = std::get_if<Alloc>(&s.op))
        if (const BufferId b = buffer_of(program, alloc->ref)) loop->own[b] = true;
    }
    if (!is_parallel_for(s)) continue;
    LoopFacts& loop = facts_[i];
    loop.stores = loop.own = Table<BufferId, bool>(program.buffers.size());
    if (const BufferId state = at_once_state(program)) loop.own[state] = true;
    for (const BufferId b : slots.ids())
      if (slots[b]) loop.own[b] = true;
    // A loop in a function that is called twice is one loop of the source.
    const Loc loc = program.written(s.place);
    const std::string& name = program.value(s.result).name;
    const auto known =
        std::find_if(verdict_.loops.begin(), verdict_.loops.end(), [&](const ParallelLoop& other) {
          return loc && other.written.source == loc.source && other.written.line == loc.line &&
                 other.written.column == loc.column && other.name == name;
        });
    loop.verdict = static_cast<std::size_t>(known - verdict_.loops.begin());
    if (known == verdict_.loops.end())
      verdict_.loops.push_back({.loc = program.loc(s.place), .written = loc, .name = name});
    open.push_back(&loop);
    ends.push_back(s.partner);
  }
}

void PointsObserver::begin(const Program& program, const RunOptions& options) {
  program_ = &program;
  topology_ = {options.machine.devices, options.machine.cores};
  verdict_ = {};
  known_.clear();
  patterns_.clear();
  seen_ = nullptr;
  find_facts();
  cells_ = 0;
  first_cell_.clear();
  for (const Semaphore& semaphore : program.semaphores) {
    first_cell_.add(cells_);
    cells_ += elements(semaphore.shape);
  }
  owners_ = CellOwners(topology_.count(), topology_.count() * cells_);
  cores_.assign(at_index(topology_.count()), {});
  for (CoreState& core : cores_) core.left.resize(program.buffers.size());
}

bool PointsObserver::is_shared(BufferId buffer) const { return sharing_->buffers[buffer]; }

void PointsObserver::on(const Event& event) {
  const CoreIndex core_index = topology_.of(event.agent);
  CoreState& core = cores_[core_index];
  if (event.kind == EventKind::point || event.kind == EventKind::points_end)
    return core.borders.push_back(event);
  if (event.token >= 0 && event.kind != EventKind::start) return on_region(core, core_index, event);
  const bool is_step = event.kind != EventKind::enter && event.kind != EventKind::leave;
  if (is_step && !event.agent.is_copy()) pass_borders(core, core_index);
  switch (event.kind) {
    case EventKind::read:
      return access(core, core_index, event, Access::read);
    case EventKind::write:
    case EventKind::fresh:
      return access(core, core_index, event, Access::store);
    case EventKind::update:
      access(core, core_index, event, Access::read);
      return access(core, core_index, event, Access::store);
    case EventKind::accumulate:
      return access(core, core_index, event, Access::add);
    case EventKind::signal:
      return count(core, core_index, event, event.amount);
    case EventKind::wait:
      return count(core, core_index, event, -event.amount);
    case EventKind::await:
    case EventKind::read_sem:
      return count(core, core_index, event, 0);
    case EventKind::alloc:
      if (event.object_kind == ObjectKind::buffer) core.left[event.object.buffer()].clear();
      return;
    default:
      return;
  }
}

// Handles the start or end of a memoised pipeline. Copies that were started before are complete.
void PointsObserver::on_region(CoreState& core, CoreIndex core_index, const Event& event) {
  pass_borders(core, core_index);
  OfPattern& pattern = patterns_[event.token];
  const bool enters = event.kind == EventKind::enter;
  seen_ = enters && !event.is_known ? &pattern : nullptr;
  if (enters || !event.is_known) return;
  for (const auto& [loop, points] : pattern.points) verdict_.loops[loop].points += points;
  for (const auto& [buffer, left] : pattern.left) core.left[buffer].push_back(left);
}

void PointsObserver::pass_borders(CoreState& core, CoreIndex core_index) {
  for (const Event& event : core.borders) {
    if (event.kind == EventKind::point)
      point(core, core_index, event);
    else
      end_loop(core, core_index);
  }
  core.borders.clear();
}

void PointsObserver::point(CoreState& core, CoreIndex core_index, const Event& event) {
  owners_.begin_point(core_index, event.statement);
  if (core.open.empty() || core.open.back().statement != event.statement)
    core.open.push_back({.statement = event.statement, .facts = &facts(event.statement)});
  for (auto& [key, log] : core.open.back().logs) log.stored.clear();
  core.open.back().points.push_back(event.amount);
}

void PointsObserver::end_loop(CoreState& core, CoreIndex core_index) {
  owners_.end_loop(core_index);
  const OpenLoop loop = std::move(core.open.back());
  core.open.pop_back();
  const std::size_t number = facts(loop.statement).verdict;
  const auto points = static_cast<std::int64_t>(loop.points.size());
  verdict_.loops[number].points += points;
  if (seen_ != nullptr) seen_->points.emplace_back(number, points);
  for (const auto& [key, log] : loop.logs) {
    compare(core, loop, key.first, key.second, log, core_index);
    if (!is_shared(key.second)) leave_behind(core, loop, key.second, log);
  }
}

void PointsObserver::access(CoreState& core, CoreIndex core_index, const Event& event,
                            Access access) {
  if (event.box->empty()) return;
  const BufferId buffer = event.object.buffer();
  const CoreIndex owner = topology_.owner(event.core, program_->buffers[buffer].space);
  if (owner == core_index && !core.left[buffer].empty())
    look_at_left(core, core_index, event, access);
  for (OpenLoop& loop : core.open) log(core, loop, owner, event, access);
}

void PointsObserver::log(CoreState&, OpenLoop& loop, CoreIndex owner, const Event& event,
                         Access access) {
  const LoopFacts& known = *loop.facts;
  const BufferId buffer = event.object.buffer();
  if (!known.stores[buffer] || known.own[buffer]) return;
  Log& log = loop.logs[{owner, buffer}];
  const auto number = static_cast<std::int32_t>(loop.points.size()) - 1;
  const auto note = [&](std::vector<LoopAccess>& accesses, const Box& box) {
    const std::size_t from = accesses.size() > 8 ? accesses.size() - 8 : 0;
    for (std::size_t i = from; i < accesses.size(); ++i) {
      const LoopAccess& t = accesses[i];
      if (t.point == number && t.access == access && t.box == box) return;
    }
    accesses.push_back({box, number, event.statement, access});
  };
  std::vector<LoopAccess>& accesses = access == Access::read ? log.reads : log.stores;
  if (is_shared(buffer)) return note(accesses, *event.box);
  // In an iteration's own copy, only parts that the iteration has not stored before are relevant.
  for (const Box& box : log.stored.missing(*event.box)) {
    note(accesses, box);
    if (access == Access::add) note(log.reads, box);
  }
  if (access != Access::read) log.stored.add(*event.box);
}

void PointsObserver::count(CoreState& core, CoreIndex core_index, const Event& event,
                           std::int64_t amount) {
  const SemaphoreId semaphore = event.object.semaphore();
  if (sharing_->semaphores[semaphore]) {
    for (const OpenLoop& loop : core.open)
      verdict_.loops[facts(loop.statement).verdict].synchronises = true;
    return;
  }
  const std::int64_t cell = event.core.index * cells_ + first_cell_[semaphore] + event.cell;
  owners_.count(core_index, cell, event.core == core_index, amount);
}

void PointsObserver::end(RunResult&) {
  for (const CoreIndex core_index : cores_.ids()) pass_borders(cores_[core_index], core_index);
  for (const StmtId loop : owners_.sharing_loops())
    verdict_.loops[facts(loop).verdict].synchronises = true;
  program_ = nullptr;
}

}  // namespace tessera
