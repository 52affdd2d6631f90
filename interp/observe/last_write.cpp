#include "interp/observe/last_write.h"

#include "interp/machine/loop_indices.h"

namespace tessera {
namespace {

bool holds(const Box& box, const Index& index) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(box.rank); ++d)
    if (index[d] < box.start[d] || index[d] >= box.start[d] + box.size[d]) return false;
  return true;
}

bool is_write(EventKind kind) {
  return kind == EventKind::write || kind == EventKind::update || kind == EventKind::accumulate;
}

}  // namespace

void LastWrite::begin(const Program& program, const RunOptions& options) {
  program_ = &program;
  topology_ = {options.machine.devices, options.machine.cores, options.machine.loop_workers};
  found_.reset();
  for (const BufferId id : program.buffers.ids())
    if (program.buffers[id].name == name_) buffer_ = id;
  is_slot_ = Table<BufferId, bool>(program.buffers.size());
  for (const Stmt& statement : program.body)
    if (const auto* write_back = std::get_if<WriteBack>(&statement.op))
      if (const BufferId slot = program.value(write_back->src.base).buffer) is_slot_[slot] = true;
}

LastWrite::Found LastWrite::found(const Event& event) const {
  const Stmt& statement = program_->body[event.statement];
  FindingPlace at{.loc = program_->loc(statement.place),
                  .device = event.agent.device,
                  .agent = to_string(event.agent),
                  .loops = loop_indices(*program_, event)};
  return {*event.box, std::move(at)};
}

void LastWrite::follow_slot(const Event& event) {
  std::vector<Found>& stores = stores_[{event.core, event.object.buffer()}];
  if (is_write(event.kind) && !event.agent.is_copy()) {
    std::erase_if(stores, [&](const Found& old) { return contains(*event.box, old.box); });
    stores.push_back(found(event));
  } else if (event.kind == EventKind::read && event.agent.is_copy()) {
    for (const Found& store : stores)
      if (intersects(store.box, *event.box)) stored_by_[copier(event.agent)] = store.at;
  }
}

void LastWrite::on(const Event& event) {
  if (event.object_kind != ObjectKind::buffer) return;
  if (is_slot_[event.object.buffer()]) return follow_slot(event);
  if (!is_write(event.kind)) return;
  const auto from = event.agent.is_copy() ? stored_by_.find(copier(event.agent)) : stored_by_.end();
  const bool is_it = event.object.buffer() == buffer_ && topology_.device(event.core) == device_ &&
                     holds(*event.box, index_);
  if (is_it) found_ = found(event);
  if (from == stored_by_.end()) return;
  // A partial copy emits several writes, so its entry is kept.
  if (is_it)
    found_->at = from->second;
  else
    stored_by_.erase(from);
}

}  // namespace tessera
