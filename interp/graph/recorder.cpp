#include "interp/graph/recorder.h"

#include <fmt/format.h>

#include <utility>

#include "core/program/refs.h"

namespace tessera::graph {
namespace {

// Each takes about half a kilobyte.
constexpr std::size_t most_actions = 4'000'000;

}  // namespace

void Recorder::begin(const Program& program, const RunOptions& options) {
  program_ = program;
  writes_blocks_ = options.profile.block_write_backs;
  topology_ = Topology{options.devices, options.cores};
  numbers_.emplace(program_);
  log_.items.resize(static_cast<std::size_t>(topology_.count()));
  copies_.resize(static_cast<std::size_t>(topology_.count()));
  last_.assign(static_cast<std::size_t>(topology_.count()), {-1, ActionId()});
}

bool Recorder::is_full() const { return log_.actions.size() > most_actions; }

Expected<Log> Recorder::take() {
  if (!numbers_->refused().empty()) return numbers_->refused();
  if (is_full())
    return Diag{ErrorCode::unsupported,
                {},
                fmt::format("no task graph: the run has more than {} ops and copies", most_actions),
                {}};
  return std::move(log_);
}

MemoryId Recorder::memory(const Memory& memory) {
  const auto [at, is_new] = memory_ids_.try_emplace(memory, log_.memories.next());
  if (is_new) log_.memories.add(memory);
  return at->second;
}

// The life that a buffer has now.
MemoryId Recorder::memory(SiteId site, BufferId buffer) {
  const SiteId home = topology_.home(site, program_.buffers[buffer].space);
  const auto life = lives_.find({home, buffer});
  return memory({home, buffer, life == lives_.end() ? 0 : life->second});
}

GraphCellId Recorder::cell(SiteId site, SemaphoreId semaphore, std::int64_t cell) {
  const auto [at, is_new] = cell_ids_.try_emplace({site, semaphore, cell}, log_.cells.next());
  if (is_new) log_.cells.add({semaphore});
  return at->second;
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
    case EventKind::point:
    case EventKind::points_end:
    case EventKind::choice:
      return;
  }
}

void Recorder::on_life(const Event& event) {
  const SiteId here = site(event);
  const bool begins = event.kind == EventKind::alloc;
  if (event.object_kind == ObjectKind::buffer && begins) {
    const BufferId buffer = event.object.buffer();
    ++lives_[{topology_.home(here, program_.buffers[buffer].space), buffer}];
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
  action.from = {memory(here, program_.value(from->base).buffer), box(event, *from)};
  action.to = {memory(there, program_.value(to->base).buffer), box(event, *to)};
  const SemaphoreId semaphore = program_.value(arrived->base).semaphore;
  const Shape& shape = program_.semaphores[semaphore].shape;
  const Box at = box(event, *arrived);
  std::int64_t position = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) position = position * shape[d] + at.start[d];
  Item& item = add(here, ItemKind::start, event);
  item.action = log_.actions.add(std::move(action));
  item.cell = cell(there, semaphore, position);
  item.amount = event.amount;
  log_.touches.add({});
  copies_[here].push_back(item.action);
}

// A half of a copy, or a part of one. Memory of another core has the life that it has now.
void Recorder::on_copy(const Event& event) {
  const ActionId id = copy(event.agent);
  const bool reads = event.kind == EventKind::read;
  const MemoryId reached = memory(event.site, event.object.buffer());
  (reads ? log_.actions[id].from : log_.actions[id].to).memory = reached;
  log_.touches[id].push_back(
      {reached, reads || event.kind == EventKind::accumulate, !reads, *event.box});
}

void Recorder::keep_scalar(const Event& event, Action& action, ValueId value) const {
  if (value == no_value || program_.value(value).constant) return;
  if (numbers_->is_data(value)) {
    action.numbers.emplace_back(value, loaded_.at({action.site, value}));
    return;
  }
  action.scalars.emplace_back(value, event.registers[value.index]);
}

void Recorder::keep_scalars(const Event& event, Action& action) {
  const Op& op = program_.body[event.statement].op;
  for (const FieldInfo& f : info(op).fields) {
    if (f.kind == FieldKind::Value) keep_scalar(event, action, field<ValueId>(op, f));
    if (f.kind != FieldKind::Slice) continue;
    const Slice& slice = field<Slice>(op, f);
    if (is_number(program_, slice)) {
      keep_scalar(event, action, slice.base);
      continue;
    }
    action.memories.push_back(memory(action.site, program_.value(slice.base).buffer));
    for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
      keep_scalar(event, action, slice.start[d]);
      keep_scalar(event, action, slice.size[d]);
    }
  }
}

void Recorder::begin_action(const Event& event) {
  const SiteId here = site(event);
  Action action{.statement = event.statement, .site = here};
  keep_scalars(event, action);
  std::vector<Touch> touches;
  for (const auto& number : action.numbers) touches.push_back({number.second, true, false, {}});
  const ValueId result = program_.body[event.statement].result;
  if (result != no_value && numbers_->is_data(result)) {
    // Each load gives a number of its own.
    action.loads = memory({here, BufferId(), static_cast<std::int64_t>(log_.memories.size())});
    loaded_[{here, result}] = action.loads;
    touches.push_back({action.loads, false, true, {}});
  }
  Item& item = add(here, ItemKind::action, event);
  item.action = log_.actions.add(std::move(action));
  log_.touches.add(std::move(touches));
  last_[here] = {event.step, item.action};
}

// An op tells of each rectangle that it reaches, all in one step.
void Recorder::on_core(const Event& event) {
  if (numbers_->is_control(event.statement)) return;
  const SiteId here = site(event);
  if (last_[here].first != event.step) begin_action(event);
  const ActionId id = last_[here].second;
  const bool reads = event.kind == EventKind::read || event.kind == EventKind::update ||
                     event.kind == EventKind::accumulate;
  log_.touches[id].push_back({memory(event.site, event.object.buffer()), reads,
                              event.kind != EventKind::read, *event.box});
  const Op& op = program_.body[event.statement].op;
  if (event.kind == EventKind::update && std::holds_alternative<Matmul>(op))
    log_.actions[id].flops = flops(log_.touches[id]);
}

// Of a . b added to acc, read in this order: the product of their elements is (m k n) squared.
std::int64_t Recorder::flops(const std::vector<Touch>& touches) const {
  const std::size_t last = touches.size() - 1;
  if (last < 2) return 0;
  const Box &a = touches[last - 2].box, &acc = touches[last].box;
  std::int64_t rows = 1;
  for (int d = acc.rank; d-- > 0;)
    if (acc.keeps(d)) rows = acc.size[Box::at(d)];  // the first that is kept
  return rows == 0 ? 0 : 2 * acc.elements() * (a.elements() / rows);
}

}  // namespace tessera::graph
