// What reads, writes and copies do to field values; what ops mean is in field_run_ops.cpp.
#include "interp/field/field_run.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::fields {

void FieldRun::attached(Machine& machine) {
  memory_.emplace(program(), topology(), machine, arithmetic_, inputs_);
}

Tile FieldRun::taken(const Event& event) {
  return memory_->raw(home(event), event.object.buffer(), *event.box);
}

void FieldRun::landed(const Event& event, const Tile& tile) {
  memory_->write(home(event), event.object.buffer(), *event.box, tile);
}

void FieldRun::added(const Event& event, const Tile& tile) {
  const BufferId buffer = event.object.buffer();
  const DType dtype = program().buffers[buffer].dtype;
  if (is_integer(dtype)) {
    if (!tile.p.empty() || memory_->has_field_values(home(event), buffer, *event.box))
      refuse("a copy that adds integers which come from floats has no rule over the field");
    return;
  }
  Tile sum = memory_->raw(home(event), buffer, *event.box), addend = tile;
  addend.shape = sum.shape;
  sum = arithmetic_.binary(Binary::add, sum, addend);
  if (size_of(dtype) == 1)
    sum = arithmetic_.unknown(fmt::format("cast to {}", name(dtype)), std::move(sum));
  memory_->write(home(event), buffer, *event.box, sum);
}

Tile FieldRun::part_of(const Tile& tile, const Box& whole, const Box& part) {
  if (tile.p.empty()) return tile;
  Tile result = make_tile(shape_of(part), arithmetic_.has_exponents());
  result.bound = tile.bound;
  for (std::int64_t i = 0; i < result.elements(); ++i)
    result.put(static_cast<std::size_t>(i),
               tile.at(static_cast<std::size_t>(position_in(whole, index_in(part, i)))));
  return result;
}

void FieldRun::load(const Event& event) {
  const Stmt& statement = op_at_hand();
  const BufferId buffer = event.object.buffer();
  if (std::holds_alternative<LoadReal>(statement.op)) {
    reals_[{topology().of(event.agent), statement.result}] =
        memory_->read(home(event), buffer, *event.box).tile;
  } else if (memory_->has_field_values(home(event), buffer, *event.box)) {
    refuse(
        fmt::format("the program takes control from `{}`, whose values come from floats: that "
                    "has no rule over the field",
                    program().buffers[buffer].name));
  }
}

void FieldRun::compute(const Event&) {
  std::visit([&](const auto& op) { evaluate(op); }, op_at_hand().op);
}

Tile FieldRun::result(BufferId buffer, int device) {
  const Buffer& declared = program().buffers[buffer];
  Box whole;
  whole.rank = static_cast<std::int8_t>(declared.shape.size());
  std::copy(declared.shape.begin(), declared.shape.end(), whole.size.begin());
  return memory_->read(home(buffer, device), buffer, whole).tile;
}

}  // namespace tessera::fields
