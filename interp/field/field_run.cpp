// Who reads and writes what; what ops mean is in field_run_ops.cpp.
#include "interp/field/field_run.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::fields {

void FieldRun::attach(Machine& machine) {
  machine_ = &machine;
  program_ = &machine.program();
  topology_ = machine.topology();
  memory_.emplace(*program_, topology_, machine, arithmetic_, inputs_);
}

void FieldRun::refuse(const std::string& what, ErrorCode code) {
  if (refusal_) return;
  const Stmt& statement = program_->body[event_->statement];
  refusal_ = Diag{code, program_->loc(statement.place), what, {}};
}

SiteId FieldRun::home(const Event& event) const {
  return topology_.home(event.site, program_->buffers[event.object.buffer()].space);
}

void FieldRun::on(const Event& event) {
  // An op whose first operand was a finding may still reach the others.
  if (refusal_ || machine_->stopped()) return;
  event_ = &event;
  const AgentId& agent = event.agent;
  if (event.kind == EventKind::start) {
    const Stmt& statement = program_->body[event.statement];
    if (const auto* op = std::get_if<WriteBack>(&statement.op)) {
      AgentId copy = agent;
      copy.dma = event.token;
      moving_[copier(copy)].to = box(op->dst);
    }
  } else if (event.kind == EventKind::signal) {
    const auto found = agent.is_copy() ? moving_.find(copier(agent)) : moving_.end();
    if (found != moving_.end() && (found->second.has_landed || found->second.to))
      moving_.erase(found);
  } else if (event.object_kind == ObjectKind::buffer) {
    agent.is_copy() ? on_copy(event) : on_core(event);
  }
}

void FieldRun::on_copy(const Event& event) {
  const BufferId buffer = event.object.buffer();
  Moving& moving = moving_[copier(event.agent)];
  if (event.kind == EventKind::read) {
    moving.from = *event.box;
    moving.tile = memory_->raw(home(event), buffer, *event.box);
    return;
  }
  moving.has_landed = true;
  const bool is_float_data = !is_integer(program_->buffers[buffer].dtype);
  if (event.kind == EventKind::accumulate) {
    if (!is_float_data) {
      if (!moving.tile.p.empty() || memory_->has_field_values(home(event), buffer, *event.box))
        refuse("a copy that adds integers which come from floats has no rule over the field");
      return;
    }
    Tile sum = memory_->raw(home(event), buffer, *event.box);
    moving.tile.shape = sum.shape;
    sum = arithmetic_.binary(Binary::add, sum, moving.tile);
    const DType dtype = program_->buffers[buffer].dtype;
    if (size_of(dtype) == 1)
      sum = arithmetic_.unknown(fmt::format("cast to {}", name(dtype)), std::move(sum));
    return memory_->write(home(event), buffer, *event.box, sum);
  }
  if (!moving.to || moving.tile.p.empty() || same_rectangle(*moving.to, *event.box))
    return memory_->write(home(event), buffer, *event.box, moving.tile);
  // Only what was stored comes back: this part of the whole.
  Tile part = make_tile(shape_of(*event.box), arithmetic_.has_exponents());
  part.bound = moving.tile.bound;
  for (std::int64_t i = 0; i < part.elements(); ++i)
    part.put(
        static_cast<std::size_t>(i),
        moving.tile.at(static_cast<std::size_t>(position_in(*moving.to, index_in(*event.box, i)))));
  memory_->write(home(event), buffer, *event.box, part);
}

void FieldRun::on_core(const Event& event) {
  const BufferId buffer = event.object.buffer();
  switch (event.kind) {
    case EventKind::alloc:
    case EventKind::release:
      return memory_->forget(home(event), buffer);
    case EventKind::fresh:
      return memory_->undefine(home(event), buffer, *event.box);
    case EventKind::read:
      return load(event);
    case EventKind::write:
    case EventKind::update:
      return compute(event);
    default:
      return;
  }
}

// A number of scalar memory; what tile ops read they ask for when they write.
void FieldRun::load(const Event& event) {
  const Stmt& statement = program_->body[event.statement];
  if (class_of(statement.op) != OpClass::cells) return;
  const BufferId buffer = event.object.buffer();
  if (std::holds_alternative<LoadReal>(statement.op)) {
    reals_[{topology_.of(event.agent), statement.result}] =
        memory_->read(home(event), buffer, *event.box).tile;
  } else if (memory_->has_field_values(home(event), buffer, *event.box)) {
    refuse(
        fmt::format("the program takes control from `{}`, whose values come from floats: that "
                    "has no rule over the field",
                    program_->buffers[buffer].name));
  }
}

void FieldRun::compute(const Event& event) {
  const Stmt& statement = program_->body[event.statement];
  std::visit([&](const auto& op) { evaluate(op); }, statement.op);
}

Tile FieldRun::result(BufferId buffer, int device) {
  const Buffer& declared = program_->buffers[buffer];
  Box whole;
  whole.rank = static_cast<std::int8_t>(declared.shape.size());
  std::copy(declared.shape.begin(), declared.shape.end(), whole.size.begin());
  return memory_->read(topology_.home(topology_.first_of(device), declared.space), buffer, whole)
      .tile;
}

}  // namespace tessera::fields
