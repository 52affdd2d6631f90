// Records copies and ops on tiles: their scalars and accesses.
#include "analysis/task_graph/recorder.h"
#include "core/program/refs.h"

namespace tessera::graph {

Box Recorder::box(const Event& event, const Slice& slice) const {
  Box box;
  box.rank = slice.rank;
  box.dropped = slice.dropped;
  for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
    box.start[d] = event.registers[slice.start[d].index];
    box.size[d] = event.registers[slice.size[d].index];
  }
  return box;
}

void Recorder::on_start(const Event& event) {
  const CoreIndex here = core_index(event);
  const Op& op = program_.body[event.statement].op;
  Action action{.statement = event.statement, .core = here, .is_copy = true};
  action.bytes = event.amount;
  const Slice* from = nullptr;
  const Slice* to = nullptr;
  const Slice* arrived = nullptr;
  CoreIndex there = here;
  if (const auto* local = std::get_if<Start>(&op)) {
    from = &local->src, to = &local->dst, arrived = &local->sem;
    action.adds = local->add != 0;
  } else if (const auto* back = std::get_if<WriteBack>(&op)) {
    from = &back->src, to = &back->dst, arrived = &back->sem;
    action.stored_only = !writes_blocks_;
    if (action.stored_only) action.bytes = 0;
  } else {
    const auto& remote = std::get<StartRemote>(op);
    from = &remote.src, to = &remote.dst, arrived = &remote.arrived;
    action.adds = remote.add != 0;
    action.is_local = false;
    const auto core = remote.core.id == no_value ? static_cast<std::int64_t>(event.agent.core)
                                                 : event.registers[remote.core.id.index];
    there = topology_.of(AgentId{static_cast<std::int32_t>(event.registers[remote.device.index]),
                                 static_cast<std::int16_t>(core)});
  }
  const MemoryId target = memory(there, program_.value(to->base).buffer),
                 source = memory(here, program_.value(from->base).buffer);
  set_ends(action, {source, box(event, *from)}, {target, box(event, *to)});
  const SemaphoreId semaphore = program_.value(arrived->base).semaphore;
  const Shape& shape = program_.semaphores[semaphore].shape;
  const Box at = box(event, *arrived);
  std::int64_t position = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) position = position * shape[d] + at.start[d];
  Item& item = add(here, ItemKind::start, event);
  item.action = log_.actions.add(action);
  item.cell = cell(there, semaphore, position);
  item.amount = event.amount;
  copies_[here].push_back(item.action);
}

// Sets both ends of the copy that is added next, and reserves its list of accesses.
void Recorder::set_ends(Action& action, const Rectangle& from, const Rectangle& to) {
  const auto dimensions = static_cast<std::size_t>(from.box.rank + to.box.rank);
  action.ends.reserve(*log_.arena, 2, dimensions);
  action.ends.push_back(*log_.arena, {from.memory, true, false, from.box});
  action.ends.push_back(*log_.arena, {to.memory, false, true, to.box});
  AccessList accesses;
  accesses.reserve(*log_.arena, 2, dimensions);
  log_.accesses.add(accesses);
}

// Records one side of a copy, or a part of it. Memory of another core has its current lifetime.
void Recorder::on_copy(const Event& event) {
  const ActionId id = copy(event.agent);
  const bool reads = event.kind == EventKind::read;
  const MemoryId reached = memory(event.core, event.object.buffer());
  log_.actions[id].ends.set_memory(reads ? 0 : 1, reached);
  add_touch(id, {reached, reads || event.kind == EventKind::accumulate, !reads, *event.box});
}

// The bytes of a write-back are those that were stored.
void Recorder::add_touch(ActionId id, const MemoryAccess& access) {
  Action& action = log_.actions[id];
  log_.accesses[id].push_back(*log_.arena, access);
  note_written(access);
  if (action.stored_only && access.writes)
    action.bytes += access.box.elements() *
                    size_of(program_.buffers[log_.memories[access.memory].buffer].dtype);
}

void Recorder::note_written(const MemoryAccess& access) {
  if (access.writes && is_result_[log_.memories[access.memory].buffer])
    log_.written[access.memory].add(access.box);
}

// Records an access of an instance, which has no actions of its own.
void Recorder::on_told(const Event& event) {
  const bool writes = event.kind != EventKind::read;
  const MemoryAccess access{memory(event.core, event.object.buffer()), !writes, writes, *event.box};
  log_.reported.back().push_back(*log_.arena, access);
  note_written(access);
}

void Recorder::need(Needs& needs, ValueId value) const {
  if (value == no_value || program_.value(value).constant) return;
  (numbers_->is_data(value) ? needs.numbers : needs.scalars).push_back(value);
}

const Needs& Recorder::needs(StmtId statement) {
  std::optional<Needs>& known = needs_[statement];
  if (known) return *known;
  known.emplace();
  const Op& op = program_.body[statement].op;
  for (const FieldInfo& f : info(op).fields) {
    if (f.kind == FieldKind::Value) need(*known, field<ValueId>(op, f));
    if (f.kind != FieldKind::Slice) continue;
    const Slice& slice = field<Slice>(op, f);
    if (is_number(program_, slice)) {
      need(*known, slice.base);
      continue;
    }
    known->buffers.push_back(program_.value(slice.base).buffer);
    known->dimensions += static_cast<std::size_t>(slice.rank);
    for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
      need(*known, slice.start[d]);
      need(*known, slice.size[d]);
    }
  }
  return *known;
}

// The scalar of the last load. A load that is out of bounds has no event; a new scalar is created
// then, although the run gets no graph.
MemoryId Recorder::loaded(CoreIndex here, ValueId value) {
  MemoryId& number = loaded_[{here, value}];
  if (!number)
    number = log_.memories.add(
        {here, BufferId(), static_cast<std::int64_t>(log_.memories.size()), is_inside_[here]});
  return number;
}

void Recorder::begin_action(const Event& event) {
  const CoreIndex here = core_index(event);
  Action action{.statement = event.statement, .core = here};
  const Needs& kept = needs(event.statement);
  Arena& arena = *log_.arena;
  action.scalars.reserve(arena, kept.scalars.size());
  for (const ValueId v : kept.scalars)
    action.scalars.push_back(arena, {v, event.registers[v.index]});
  for (const ValueId v : kept.numbers) action.loaded_scalars.push_back(arena, {v, loaded(here, v)});
  action.memories.reserve(arena, kept.buffers.size());
  for (const BufferId b : kept.buffers) action.memories.push_back(arena, memory(here, b));
  const ValueId result = program_.body[event.statement].result;
  if (result != no_value && numbers_->is_data(result)) {
    // Each load creates a new scalar. It is not used after the pipeline that contains the load.
    loaded_.erase({here, result});
    action.loads = loaded(here, result);
  }
  Item& item = add(here, ItemKind::action, event);
  item.action = log_.actions.add(action);
  AccessList accesses;
  accesses.reserve(arena, kept.numbers.size() + kept.buffers.size() + (action.loads ? 1 : 0),
                   kept.dimensions);
  for (const auto& number : action.loaded_scalars)
    accesses.push_back(arena, {number.second, true, false, {}});
  if (action.loads) accesses.push_back(arena, {action.loads, false, true, {}});
  log_.accesses.add(accesses);
  last_[here] = {event.step, item.action};
}

// Records a copy that its core executes synchronously.
void Recorder::begin_move(const Event& event) {
  const CoreIndex here = core_index(event);
  const Op& op = program_.body[event.statement].op;
  const auto* back = std::get_if<WriteBack>(&op);
  const Slice& from = back != nullptr ? back->src : std::get<Start>(op).src;
  const Slice& to = back != nullptr ? back->dst : std::get<Start>(op).dst;
  Action action{.statement = event.statement, .core = here, .is_copy = true};
  action.stored_only = back != nullptr && !writes_blocks_;
  if (!action.stored_only) action.bytes = event.amount;
  const MemoryId target = memory(here, program_.value(to.base).buffer),
                 source = memory(here, program_.value(from.base).buffer);
  set_ends(action, {source, box(event, from)}, {target, box(event, to)});
  Item& item = add(here, ItemKind::action, event);
  item.action = log_.actions.add(action);
  last_[here] = {event.step, item.action};
}

// An op emits one event for each rectangle that it accesses, all in the same step.
void Recorder::on_core(const Event& event) {
  if (numbers_->is_control(event.statement)) return;
  if (is_told_) return on_told(event);
  const CoreIndex here = core_index(event);
  if (last_[here].step != event.step) {
    const bool moves =
        moves_at_once_ && class_of(program_.body[event.statement].op) == OpClass::copy;
    moves ? begin_move(event) : begin_action(event);
  }
  const bool reads = event.kind == EventKind::read || event.kind == EventKind::update ||
                     event.kind == EventKind::accumulate;
  const ActionId action = last_[here].action;
  add_touch(action, {memory(event.core, event.object.buffer()), reads,
                     event.kind != EventKind::read, *event.box});
  const Op& op = program_.body[event.statement].op;
  if (event.kind == EventKind::update && std::holds_alternative<Matmul>(op))
    log_.actions[action].flops = flops(log_.accesses[action]);
}

// a . b is added to acc, and they are read in this order. With m, n, k: 2 m n k flops, from the
// sizes m n of acc and m k of a.
std::int64_t Recorder::flops(const AccessList& accesses) {
  if (accesses.size() < 3) return 0;
  const Box a = accesses[accesses.size() - 3].box, acc = accesses.back().box;
  std::int64_t rows = 1;
  for (int d = acc.rank; d-- > 0;)
    if (acc.keeps(d)) rows = acc.size[Box::at(d)];  // the first dimension that is kept
  return rows == 0 ? 0 : 2 * acc.elements() * (a.elements() / rows);
}

}  // namespace tessera::graph
