// Operands, bounds and lifetimes: access of exec() functions to the machine's memory.
#include "interp/machine/core.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/program/refs.h"
#include "interp/findings/describe.h"
#include "interp/findings/uninitialised.h"
#include "interp/machine/machine.h"

namespace tessera {

namespace {

std::string outside_text(const Program& program, std::string_view verb, const Region& region,
                         int dimension) {
  const std::string text = slice_text(program, region.buffer, region.box);
  const std::int64_t size = region.box.size[static_cast<std::size_t>(dimension)];
  if (size < 0)
    return fmt::format("{} of {} has size {} in dimension {}", verb, text, size, dimension);
  return fmt::format("{} of {} leaves {}", verb, text, shape_text(program, region.buffer));
}

bool is_element(const Slice& slice) {
  return slice.rank > 0 && slice.dropped + 1 == 1 << slice.rank;
}

bool is_access(EventKind kind) {
  return kind == EventKind::read || kind == EventKind::write || kind == EventKind::update ||
         kind == EventKind::accumulate || kind == EventKind::fresh;
}

}  // namespace

Core::Core(Machine& machine, AgentId id, const Code& code)
    : machine_(machine),
      id_(id),
      index_(machine.topology().of(id)),
      code_(code),
      cells_(code.is_private.size()),
      numbers_(code.is_told.size()),
      registers_(code.registers),
      is_free_(id.worker >= 0) {}

Core::Image Core::save() const {
  return {registers_.entries(), undefined_, pc_,  stmt_,   finished_, blocked_, need_,
          next_waiter_,         steps_,     ops_, events_, copies_};
}

void Core::restore(const Image& image) {
  registers_.entries() = image.registers;
  undefined_ = image.undefined;
  pc_ = image.pc;
  stmt_ = image.statement;
  finished_ = image.is_finished;
  blocked_ = image.is_blocked;
  need_ = image.need;
  next_waiter_ = image.next_waiter;
  steps_ = image.steps;
  ops_ = image.ops;
  events_ = image.events;
  copies_ = image.copies;
  results_written_.clear();
  std::fill(cells_.begin(), cells_.end(), Cells{});  // the memory may have moved
}

StmtId Core::statement() const {
  return stmt_ == nullptr ? StmtId() : machine_.program().body.id_of(*stmt_);
}

const std::string& Core::text(TextId id) const { return machine_.program().texts[id]; }

bool Core::stopped() const { return machine_.stopped(); }

tile::Context Core::tile_context() const {
  return {.math = machine_.math_of(statement()), .place = stmt_->place};
}

void Core::fail(FindingKind kind, std::string message, std::vector<FindingPlace> notes) {
  machine_.stop(kind, std::move(message), id_, statement(), std::move(notes));
}

void Core::report_once(FindingKind kind, std::string message) {
  machine_.report_once(kind, std::move(message), id_, statement());
}

void Core::emit_at(StmtId statement, Event event) {
  if (!machine_.observes()) return;
  if (!to_tell_.empty() && !is_access(event.kind) && !is_beside_loads(statement, event.kind))
    tell_loads();
  event.agent = id_;
  event.statement = statement;
  if (is_asking_) return tell_asked(event);
  event.index = events_++;
  event.agent_step = steps_;
  machine_.emit(event);
}

void Core::count_steps(std::int64_t steps) {
  steps_ += steps;
  machine_.count_steps(steps);
}

Box Core::box(const Slice& slice) const {
  Box box;
  box.rank = slice.rank;
  box.dropped = slice.dropped;
  for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
    box.start[d] = scalar(slice.start[d]);
    box.size[d] = scalar(slice.size[d]);
  }
  return box;
}

CoreIndex Core::target(const Slice& slice, ValueId device, Maybe core, std::string_view verb) {
  const Topology& topology = machine_.topology();
  const std::int64_t on_device = scalar(device);
  // An op that names no core uses the number of its own core. With several cores, check_input()
  // accepts this only for signals to the own device and for the automatic barrier.
  const std::int64_t on_core = core.id == no_value ? id_.core : scalar(core.id);
  const auto outside = [&](const std::string& where) {
    const Program& program = machine_.program();
    const Value& base = program.value(slice.base);
    fail(FindingKind::out_of_bounds,
         fmt::format("{} of {} on {}", verb,
                     base.kind == ValueKind::sem ? program.semaphores[base.semaphore].name
                                                 : program.buffers[base.buffer].name,
                     where));
    return CoreIndex();
  };
  if (on_device < 0 || on_device >= topology.devices)
    return outside(
        fmt::format("device {}, but devices are 0 to {}", on_device, topology.devices - 1));
  if (on_core < 0 || on_core >= topology.cores)
    return outside(fmt::format("core {} of device {}, but cores are 0 to {}", on_core, on_device,
                               topology.cores - 1));
  const AgentId there{static_cast<std::int32_t>(on_device), static_cast<std::int16_t>(on_core)};
  // A loop worker that names its own core refers to itself.
  return there == AgentId{id_.device, id_.core} ? index_ : topology.of(there);
}

Region Core::locate(const Slice& slice, CoreIndex core_index, std::string_view verb) {
  const Program& program = machine_.program();
  const BufferId buffer = program.value(slice.base).buffer;
  const bool is_here = core_index == index_;
  core_index = machine_.owner(core_index, buffer);
  CoreState& owner = machine_.core_state(core_index);
  Storage* storage = owner.storages[buffer].get();
  Region region{.core = core_index, .buffer = buffer, .box = box(slice)};
  region.generation = owner.lives[buffer];
  if (const int d = storage->outside(region.box); d >= 0) {
    fail(FindingKind::out_of_bounds, outside_text(program, verb, region, d));
    return {};
  }
  if (region.box.empty()) {  // no elements, so no position
    region.box.start = {};
    region.storage = storage;
    return region;
  }
  // The destination of a remote copy is checked when the copy writes.
  if (is_here && !storage->is_live()) {
    fail(FindingKind::lifetime,
         fmt::format("{} of {}, which {}", verb, slice_text(program, buffer, region.box),
                     region.generation > 0 ? "no longer exists" : "does not exist yet"));
    return {};
  }
  region.storage = storage;
  return region;
}

Region Core::access(const Slice& slice, EventKind kind) {
  Region region = locate(slice, index_, name(kind));
  if (region.storage == nullptr || region.box.empty()) return region;
  const bool is_cell =
      code_.is_private[region.buffer] &&
      (std::holds_alternative<Load>(stmt_->op) || std::holds_alternative<Store>(stmt_->op) ||
       (std::holds_alternative<SearchRight>(stmt_->op) && is_whole(machine_.program(), slice)));
  if (machine_.observes() && !is_cell) {
    emit({.kind = kind,
          .object_kind = ObjectKind::buffer,
          .core = region.core,
          .object = region.buffer,
          .box = &region.box});
  }
  const RunOptions& options = machine_.options();
  if (kind != EventKind::write && options.checks.uninitialised == Uninitialised::strict)
    require_initialised(region);
  if (kind != EventKind::read && options.checks.enabled &&
      options.checks.uninitialised != Uninitialised::poison &&
      region.storage->buffer().role == Role::out)
    results_written_.push_back(region);
  if (stopped()) region.storage = nullptr;
  return region;
}

Region Core::access_scalar(const Slice& slice) {
  const BufferId buffer = machine_.program().value(slice.base).buffer;
  const CoreIndex core_index = machine_.owner(index_, buffer);
  const Storage& storage = *machine_.core_state(core_index).storages[buffer];
  const Region region{.core = core_index, .buffer = buffer, .box = box(slice)};
  const int d = storage.outside(region.box);
  if (d < 0) return access(slice, EventKind::read);
  report_once(FindingKind::out_of_bounds,
              outside_text(machine_.program(), name(EventKind::read), region, d));
  return {};
}

TileView Core::read(const Slice& slice) {
  const Value& base = machine_.program().value(slice.base);
  if (base.kind == ValueKind::scalar || base.kind == ValueKind::real) {
    TileView number = base.kind == ValueKind::scalar ? TileView::of(scalar(slice.base))
                                                     : TileView::of(real(slice.base));
    if (is_undefined(slice.base)) {
      const TileView view = undefined_element(undefined_.by[slice.base], number.dtype);
      number.init = view.init;
      number.owner = view.owner;
    }
    return number;
  }
  const Region region = is_element(slice) ? access_scalar(slice) : access(slice, EventKind::read);
  if (region.storage == nullptr && is_element(slice) && !stopped())
    return undefined_element(statement(), machine_.program().buffers[base.buffer].dtype);
  return region.storage != nullptr ? region.storage->read(region.box) : TileView{};
}

TileView Core::write(const Slice& slice) {
  const Region region = access(slice, EventKind::write);
  return region.storage != nullptr ? region.storage->write(region.box) : TileView{};
}

TileView Core::update(const Slice& slice) {
  const Region region = access(slice, EventKind::update);
  return region.storage != nullptr ? region.storage->update(region.box) : TileView{};
}

void Core::require_initialised(const Region& region) {
  if (machine_.options().checks.uninitialised == Uninitialised::poison || region.box.empty())
    return;
  if (region.storage->is_initialised(region.box)) return;
  const Index index = region.storage->first_uninitialised(region.box);
  machine_.stop(uninitialised_finding(machine_.program(), machine_.findings(), "read", region,
                                      index, region.storage->origin(index), id_, statement()),
                id_, statement());
}

// Stops the run if the current op stored undefined elements to results of the program.
void Core::check_written() {
  for (const Region& region : results_written_) {
    if (stopped() || region.storage->is_initialised(region.box)) continue;
    const Index index = region.storage->first_uninitialised(region.box);
    machine_.stop(uninitialised_finding(machine_.program(), machine_.findings(), "write", region,
                                        index, region.storage->origin(index), id_, statement()),
                  id_, statement());
  }
  results_written_.clear();
}

}  // namespace tessera
