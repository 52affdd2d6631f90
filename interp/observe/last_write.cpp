#include "interp/observe/last_write.h"

#include "interp/machine/loop_indices.h"

namespace tessera {
namespace {

bool contains(const Box& box, const Index& index) {
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
  topology_ = {options.devices, options.cores, options.point_cores};
  found_.reset();
  for (const BufferId id : program.buffers.ids())
    if (program.buffers[id].name == name_) buffer_ = id;
}

void LastWrite::on(const Event& event) {
  if (!is_write(event.kind) || event.object_kind != ObjectKind::buffer ||
      event.object.buffer() != buffer_ || topology_.device(event.site) != device_ ||
      !contains(*event.box, index_))
    return;
  found_ = {*event.box, {}};
  const Stmt& statement = program_->body[static_cast<std::size_t>(event.statement)];
  found_->at.loc = program_->loc(statement.place);
  found_->at.device = event.agent.device;
  found_->at.agent = to_string(event.agent);
  found_->at.loops = loop_indices(*program_, event);
}

}  // namespace tessera
