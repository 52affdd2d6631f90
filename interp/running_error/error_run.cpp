// What reads, writes and copies do to bounds; what ops do is in error_run_ops.cpp.
#include "interp/running_error/error_run.h"

#include <fmt/format.h>

#include "interp/memory/layout.h"

namespace tessera::running_error {
namespace {

bool adds(const Op& op) {
  if (const auto* start = std::get_if<Start>(&op)) return start->add != 0;
  const auto* const remote = std::get_if<StartRemote>(&op);
  return remote != nullptr && remote->add != 0;
}

}  // namespace

// What is added is needed with its values, as they are now.
Tile ErrorRun::taken(const Event& event) {
  const BufferId buffer = event.object.buffer();
  return adds(op_at_hand().op) ? memory_->read(home(event), buffer, *event.box)
                               : memory_->bounds(home(event), buffer, *event.box);
}

void ErrorRun::landed(const Event& event, const Tile& tile) {
  memory_->write(home(event), event.object.buffer(), *event.box, tile);
}

void ErrorRun::added(const Event& event, const Tile& tile) {
  const BufferId buffer = event.object.buffer();
  const DType dtype = program().buffers[buffer].dtype;
  rules_.at(event.statement);
  const Tile sum = with_known_values(memory_->read(home(event), buffer, *event.box));
  const Tile addend = with_known_values(tile);
  if (is_integer(dtype) && sum.is_exact() && addend.is_exact()) return;
  std::vector<Bound> bounds(sum.elements());
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const Number result = is_integer(dtype)
                              ? rules_.of_integers(Binary::add, sum.at(i), addend.at(i), dtype)
                              : rules_.binary(Binary::add, sum.at(i), addend.at(i));
    bounds[i] = rules_.rounded(dtype, result).bound;
  }
  memory_->write(home(event), buffer, *event.box, of_bounds(sum.shape, std::move(bounds)));
}

Tile ErrorRun::part_of(const Tile& tile, const Box& whole, const Box& part) {
  Tile result{beside::shape_of(part), {}, {}, tile.dtype};
  if (tile.is_exact()) return result;
  for (std::size_t i = 0; i < result.elements(); ++i)
    result.bounds.push_back(tile.bounds[static_cast<std::size_t>(
        position_in(whole, index_in(part, static_cast<std::int64_t>(i))))]);
  return result;
}

void ErrorRun::load(const Event& event) {
  const Stmt& statement = op_at_hand();
  const BufferId buffer = event.object.buffer();
  if (std::holds_alternative<LoadReal>(statement.op)) {
    rules_.at(event.statement);
    reals_[{topology().of(event.agent), statement.result}] =
        with_known_values(memory_->read(home(event), buffer, *event.box)).bound(0);
  } else if (!memory_->bounds(home(event), buffer, *event.box).is_exact()) {
    refuse(fmt::format("the program takes control from `{}`, and rounding may decide what it holds",
                       program().buffers[buffer].name));
  }
}

void ErrorRun::compute(const Event& event) {
  rules_.at(event.statement);
  std::visit([&](const auto& op) { evaluate(op); }, op_at_hand().op);
}

std::vector<Bound> ErrorRun::bounds(BufferId buffer, int device) const {
  const Layout layout(program().buffers[buffer]);
  const Tile whole = memory_->bounds(home(buffer, device), buffer, layout.whole());
  std::vector<Bound> stored(whole.elements(), 0);
  if (whole.is_exact()) return stored;
  for (std::size_t i = 0; i < stored.size(); ++i)
    stored[i] = whole.bounds[static_cast<std::size_t>(
        position_in(layout.whole(), layout.index(static_cast<std::int64_t>(i))))];
  return stored;
}

Diag ErrorRun::why(Bound unknown) const {
  const Reasons::Reason& reason = reasons_.of(unknown);
  const Loc loc = reason.statement ? program().loc(program().body[reason.statement].place) : Loc();
  return {ErrorCode::unsupported, loc, reason.text, {}};
}

}  // namespace tessera::running_error
