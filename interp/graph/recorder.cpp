#include "interp/graph/recorder.h"

#include <utility>

#include "core/passes/at_once.h"
#include "core/program/refs.h"

namespace tessera::graph {
void Recorder::begin(const Program& program, const RunOptions& options) {
  program_ = program;
  writes_blocks_ = options.profile.block_write_backs;
  moves_at_once_ = is_at_once(program_);
  topology_ = Topology{options.devices, options.cores};
  numbers_.emplace(program_);
  const auto sites = static_cast<std::size_t>(topology_.count());
  needs_.resize(program_.body.size());
  log_.items.resize(sites);
  lives_.assign(sites, Table<BufferId, Life>(program_.buffers.size()));
  cells_.assign(sites, Table<SemaphoreId, std::vector<GraphCellId>>(program_.semaphores.size()));
  copies_.resize(sites);
  last_.resize(sites);
  is_inside_.assign(sites, false);
  for (const StmtId s : program_.body.ids())
    if (pipeline_of(program_.body[s].op)) outer_[s] = outer_scalars_of(program_, s);
}

bool Recorder::is_full() const { return log_.actions.size() > most_actions; }

Expected<Log> Recorder::take() {
  if (!numbers_->refused().empty()) return numbers_->refused();
  if (is_full()) return too_many_actions();
  return std::move(log_);
}

ActionId Recorder::action_of(const Event& event) const {
  if (event.agent.is_copy()) return copy(event.agent);
  return numbers_->is_control(event.statement) ? ActionId() : last_[site(event)].action;
}

Recorder::Life& Recorder::life(SiteId site, BufferId buffer) {
  return lives_[topology_.home(site, program_.buffers[buffer].space)][buffer];
}

MemoryId Recorder::memory(SiteId site, BufferId buffer) {
  Life& now = life(site, buffer);
  if (!now.memory)
    now.memory = log_.memories.add(
        {topology_.home(site, program_.buffers[buffer].space), buffer, now.number, now.is_inner});
  return now.memory;
}

GraphCellId Recorder::cell(SiteId site, SemaphoreId semaphore, std::int64_t cell) {
  std::vector<GraphCellId>& cells = cells_[site][semaphore];
  const auto at = static_cast<std::size_t>(cell);
  if (at >= cells.size()) cells.resize(at + 1);
  if (!cells[at]) cells[at] = log_.cells.add({semaphore});
  return cells[at];
}

Item& Recorder::add(SiteId site, ItemKind kind, const Event& event) {
  log_.items[site].push_back({.kind = kind, .step = event.step});
  return log_.items[site].back();
}

void Recorder::on(const Event& event) {
  switch (event.kind) {
    case EventKind::alloc:
    case EventKind::release:
      return on_life(event);
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
  const SiteId here = site(event);
  is_inside_[here] = enters && !is_told_;
  if (!enters && event.token >= 0) end_pattern(here);
  Item& item = add(here, enters ? ItemKind::enter : ItemKind::leave, event);
  if (!enters) return;
  Entry entry{.pipeline = pipeline};
  if (is_told_)
    entry.instance = add_instance(event);
  else if (event.token >= 0)
    begin_pattern(event);
  const std::vector<ValueId>& outer = outer_.at(event.statement);
  entry.outer.reserve(*log_.arena, outer.size());
  for (const ValueId v : outer) entry.outer.push_back(*log_.arena, event.registers[v.index]);
  item.entry = log_.entries.add(entry);
}

void Recorder::on_life(const Event& event) {
  const SiteId here = site(event);
  const bool begins = event.kind == EventKind::alloc;
  if (event.object_kind == ObjectKind::buffer && begins) {
    Life& now = life(here, event.object.buffer());
    now = {now.number + 1, is_inside_[here], MemoryId()};
    if (seen_) log_.instances.patterns[seen_].begun.push_back(event.object.buffer());
  }
  Item& item = add(here, begins ? ItemKind::open : ItemKind::close, event);
  item.object_kind = event.object_kind;
  item.object = event.object;
}

void Recorder::on_semaphore(const Event& event) {
  const GraphCellId counted = cell(event.site, event.object.semaphore(), event.cell);
  if (event.kind == EventKind::signal) {
    const bool is_own = event.agent.is_copy() && log_.actions[copy(event.agent)].is_local;
    if (!is_own) log_.cells[counted].is_own = false;
    if (!event.agent.is_copy()) add(site(event), ItemKind::signal, event);
    return;
  }
  if (event.kind != EventKind::wait) log_.cells[counted].is_own = false;
  Item& item = add(site(event), ItemKind::wait, event);
  item.cell = counted;
  item.amount = event.amount;
}

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
  const SiteId here = site(event);
  const Op& op = program_.body[event.statement].op;
  Action action{.statement = event.statement, .site = here, .is_copy = true};
  action.bytes = event.amount;
  const Slice* from = nullptr;
  const Slice* to = nullptr;
  const Slice* arrived = nullptr;
  SiteId there = here;
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

// Of the copy that is added next, which has two halves.
void Recorder::set_ends(Action& action, const Rectangle& from, const Rectangle& to) {
  const auto dimensions = static_cast<std::size_t>(from.box.rank + to.box.rank);
  action.ends.reserve(*log_.arena, 2, dimensions);
  action.ends.push_back(*log_.arena, {from.memory, true, false, from.box});
  action.ends.push_back(*log_.arena, {to.memory, false, true, to.box});
  Touches touches;
  touches.reserve(*log_.arena, 2, dimensions);
  log_.touches.add(touches);
}

// A half of a copy, or a part of one. Memory of another core has the life that it has now.
void Recorder::on_copy(const Event& event) {
  const ActionId id = copy(event.agent);
  const bool reads = event.kind == EventKind::read;
  const MemoryId reached = memory(event.site, event.object.buffer());
  log_.actions[id].ends.set_memory(reads ? 0 : 1, reached);
  add_touch(id, {reached, reads || event.kind == EventKind::accumulate, !reads, *event.box});
}

// Of a write-back those bytes count that were stored.
void Recorder::add_touch(ActionId id, const Touch& touch) {
  Action& action = log_.actions[id];
  log_.touches[id].push_back(*log_.arena, touch);
  if (action.stored_only && touch.writes)
    action.bytes +=
        touch.box.elements() * size_of(program_.buffers[log_.memories[touch.memory].buffer].dtype);
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

void Recorder::begin_action(const Event& event) {
  const SiteId here = site(event);
  Action action{.statement = event.statement, .site = here};
  const Needs& kept = needs(event.statement);
  Arena& arena = *log_.arena;
  action.scalars.reserve(arena, kept.scalars.size());
  for (const ValueId v : kept.scalars)
    action.scalars.push_back(arena, {v, event.registers[v.index]});
  for (const ValueId v : kept.numbers) action.numbers.push_back(arena, {v, loaded_.at({here, v})});
  action.memories.reserve(arena, kept.buffers.size());
  for (const BufferId b : kept.buffers) action.memories.push_back(arena, memory(here, b));
  const ValueId result = program_.body[event.statement].result;
  if (result != no_value && numbers_->is_data(result)) {
    // Each load gives a number of its own, which nobody knows behind the pipeline that it is in.
    action.loads = log_.memories.add(
        {here, BufferId(), static_cast<std::int64_t>(log_.memories.size()), is_inside_[here]});
    loaded_[{here, result}] = action.loads;
  }
  Item& item = add(here, ItemKind::action, event);
  item.action = log_.actions.add(action);
  Touches touches;
  touches.reserve(arena, kept.numbers.size() + kept.buffers.size() + (action.loads ? 1 : 0),
                  kept.dimensions);
  for (const auto& number : action.numbers)
    touches.push_back(arena, {number.second, true, false, {}});
  if (action.loads) touches.push_back(arena, {action.loads, false, true, {}});
  log_.touches.add(touches);
  last_[here] = {event.step, item.action};
}

// A copy that its core does itself.
void Recorder::begin_move(const Event& event) {
  const SiteId here = site(event);
  const Op& op = program_.body[event.statement].op;
  const auto* back = std::get_if<WriteBack>(&op);
  const Slice& from = back != nullptr ? back->src : std::get<Start>(op).src;
  const Slice& to = back != nullptr ? back->dst : std::get<Start>(op).dst;
  Action action{.statement = event.statement, .site = here, .is_copy = true};
  action.stored_only = back != nullptr && !writes_blocks_;
  if (!action.stored_only) action.bytes = event.amount;
  const MemoryId target = memory(here, program_.value(to.base).buffer),
                 source = memory(here, program_.value(from.base).buffer);
  set_ends(action, {source, box(event, from)}, {target, box(event, to)});
  Item& item = add(here, ItemKind::action, event);
  item.action = log_.actions.add(action);
  last_[here] = {event.step, item.action};
}

// An op tells of each rectangle that it reaches, all in one step.
void Recorder::on_core(const Event& event) {
  if (is_told_ || numbers_->is_control(event.statement)) return;
  const SiteId here = site(event);
  if (last_[here].step != event.step) {
    const bool moves =
        moves_at_once_ && class_of(program_.body[event.statement].op) == OpClass::copy;
    moves ? begin_move(event) : begin_action(event);
  }
  const bool reads = event.kind == EventKind::read || event.kind == EventKind::update ||
                     event.kind == EventKind::accumulate;
  const ActionId action = last_[here].action;
  add_touch(action, {memory(event.site, event.object.buffer()), reads,
                     event.kind != EventKind::read, *event.box});
  const Op& op = program_.body[event.statement].op;
  if (event.kind == EventKind::update && std::holds_alternative<Matmul>(op))
    log_.actions[action].flops = flops(log_.touches[action]);
}

// Of a . b added to acc, read in this order: the product of their elements is (m k n) squared.
std::int64_t Recorder::flops(const Touches& touches) {
  if (touches.size() < 3) return 0;
  const Box a = touches[touches.size() - 3].box, acc = touches.back().box;
  std::int64_t rows = 1;
  for (int d = acc.rank; d-- > 0;)
    if (acc.keeps(d)) rows = acc.size[Box::at(d)];  // the first that is kept
  return rows == 0 ? 0 : 2 * acc.elements() * (a.elements() / rows);
}

}  // namespace tessera::graph
