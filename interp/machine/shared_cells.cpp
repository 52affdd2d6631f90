#include "interp/machine/shared_cells.h"

#include <variant>

#include "interp/machine/point_sharing.h"

namespace tessera {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

void SharedCells::begin(const Program& program, const RunOptions& options) {
  topology_ = {options.machine.devices, options.machine.cores};
  is_dealt_ = dealt_loops(program);
  borders_.assign(at(topology_.count()), {});
  first_cell_.clear();
  cells_ = 0;
  for (const Semaphore& semaphore : program.semaphores) {
    first_cell_.add(cells_);
    cells_ += elements(semaphore.shape);
  }
  owners_ = CellOwners(topology_.count(), topology_.count() * cells_);
}

void SharedCells::pass_borders(CoreIndex core) {
  for (const Event& border : borders_[core]) {
    if (border.kind == EventKind::point)
      owners_.begin_point(core, border.statement);
    else
      owners_.end_loop(core);
  }
  borders_[core].clear();
}

void SharedCells::on(const Event& event) {
  const CoreIndex core = topology_.of(event.agent);
  const auto count = [&](std::int64_t amount) {
    owners_.count(core, number(event.core, event.object.semaphore(), event.cell),
                  event.core == core, amount);
  };
  const bool is_point = event.kind == EventKind::point || event.kind == EventKind::points_end;
  const bool is_region = event.kind == EventKind::enter || event.kind == EventKind::leave;
  if (!event.agent.is_copy() && !is_point && !is_region) pass_borders(core);
  switch (event.kind) {
    case EventKind::point:
    case EventKind::points_end:
      if (is_dealt_[event.statement]) borders_[core].push_back(event);
      return;
    case EventKind::signal:
      return count(event.amount);
    case EventKind::wait:
      return count(-event.amount);
    case EventKind::await:
    case EventKind::read_sem:
      return count(0);
    default:
      return;
  }
}

bool has_open_cells(const Program& program) {
  const PointSharing shared(program);
  for (StmtId i(0); i < program.body.next(); ++i) {
    if (!is_parallel_for(program.body[i])) continue;
    const LoopObjects named(program, i);
    for (const SemaphoreId s : named.semaphores.ids())
      if (named.semaphores[s] && !named.makes_semaphore[s] && !shared.semaphores[s]) return true;
    i = program.body[i].partner;
  }
  return false;
}

}  // namespace tessera
