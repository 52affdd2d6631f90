#include "analysis/certificate/record/joiner.h"

#include <utility>

#include "core/passes/at_once.h"
#include "core/program/refs.h"

namespace tessera {
namespace {

// Max rectangles of joined accesses to one buffer between two synchronisations. If there are more,
// the accesses so far are recorded.
constexpr std::size_t max_boxes = 1024;

// Buffers that no copy accesses, except synchronous ones, and that are not shared with other cores.
Table<BufferId, bool> own_buffers(const Program& program, int cores) {
  Table<BufferId, bool> own;
  for (const Buffer& b : program.buffers) own.add(b.space != Space::hbm || cores == 1);
  for (const Stmt& s : program.body) {
    if (class_of(s.op) != OpClass::copy || is_at_once(program, s.op)) continue;
    for (const FieldInfo& f : info(s.op).fields) {
      if (f.kind != FieldKind::Slice) continue;
      const Value& base = program.value(field<Slice>(s.op, f).base);
      if (base.kind == ValueKind::ref && base.buffer) own[base.buffer] = false;
    }
  }
  return own;
}

EventKind joined_kind(EventKind kind) {
  return kind == EventKind::read ? EventKind::read : EventKind::write;
}

bool is_same_cell(const Event& a, const Event& b) {
  return a.core == b.core && a.object.index == b.object.index && a.cell == b.cell;
}

}  // namespace

Joiner::Joiner(const Program& program, const RunOptions& options, bool joins_copies, Sink sink)
    : program_(program),
      topology_{options.machine.devices, options.machine.cores},
      joins_copies_(joins_copies && options.schedule == "eager" &&
                    options.machine.slow_device < 0 &&
                    options.copies.granularity == CopyGranularity::whole &&
                    options.copies.order == DmaOrder::unordered),
      granule_(options.machine.profile.dma_granule),
      sink_(std::move(sink)),
      is_own_(own_buffers(program, options.machine.cores)) {
  cores_.resize(static_cast<std::size_t>(topology_.count()));
}

void Joiner::take(const Event& event) {
  CoreState& state = core(event);
  if (event.agent.is_copy()) return on_copy(state, event);
  switch (event.kind) {
    case EventKind::read:
    case EventKind::write:
    case EventKind::update:
    case EventKind::fresh:
      if (!is_own_[event.object.buffer()]) access(state, event);
      return;
    case EventKind::alloc:
    case EventKind::release:
      if (event.object_kind == ObjectKind::buffer && is_own_[event.object.buffer()]) return;
      break;
    case EventKind::start:
      return start(state, event);
    case EventKind::choice:
    case EventKind::enter:
    case EventKind::leave:
    case EventKind::point:
    case EventKind::points_end:
      return sink_(event);
    default:
      break;
  }
  flush(state);
  sink_(event);
}

void Joiner::access(CoreState& core, const Event& event) {
  const EventKind kind = joined_kind(event.kind);
  for (Accesses& known : core.accesses) {
    if (known.first.kind != kind || known.first.object.index != event.object.index ||
        known.first.core != event.core)
      continue;
    if (known.boxes.size() < max_boxes) return known.boxes.add(*event.box);
    flush(core);
    break;
  }
  core.accesses.push_back({event, {}});
  core.accesses.back().first.kind = kind;
  core.accesses.back().boxes.add(*event.box);
}

// True if a copy can be joined with others: it stores its elements in their order into a buffer
// other than its source, in whole granules. With a part of a granule, its count could lack fewer
// bytes than the count of the joined copy.
bool Joiner::may_join(const Event& start) const {
  const auto* op = std::get_if<Start>(&program_.body[start.statement].op);
  if (!joins_copies_ || op == nullptr || op->add != 0 || op->reshaped != 0) return false;
  const BufferId from = program_.value(op->src.base).buffer,
                 to = program_.value(op->dst.base).buffer;
  const std::int64_t element = size_of(program_.buffers[from].dtype);
  const std::int64_t each = (granule_ + element - 1) / element * element;
  return from != to && start.amount % each == 0;
}

void Joiner::start(CoreState& core, const Event& event) {
  if (may_join(event)) {
    core.current = Gather{.start = event, .amount = event.amount};
    return;
  }
  flush(core);
  pass(core, event);
}

void Joiner::on_copy(CoreState& core, const Event& event) {
  if (!core.current || core.current->start.token != event.agent.dma) {
    Event numbered = event;
    numbered.agent.dma = core.numbers[static_cast<std::size_t>(event.agent.dma)];
    return sink_(numbered);
  }
  Gather& copy = *core.current;
  if (event.kind == EventKind::read) {
    copy.read = event;
    copy.reads.add(*event.box);
  } else if (event.kind != EventKind::signal) {
    copy.write = event;
    copy.writes.add(*event.box);
    copy.written = BoxIndex<char>(program_.buffers[event.object.buffer()].shape);
    copy.written.add(*event.box, {});
  } else {
    copy.signal = event;
    if (!core.gather || !join(*core.gather, copy)) {
      flush(core);
      core.gather = std::move(copy);
    }
    core.current.reset();
  }
}

// Joins the copy to the gather. Returns false, without changes, if this is not possible.
bool Joiner::join(Gather& gather, Gather& copy) const {
  if (gather.start.statement != copy.start.statement || !is_same_cell(gather.signal, copy.signal))
    return false;
  bool is_beside = true;
  std::vector<Box> writes = copy.writes.take();
  for (const Box& box : writes)
    gather.written.for_each_meeting(box, [&](const Box&, char) { is_beside = false; });
  for (const Box& box : writes) {
    copy.writes.add(box);
    if (is_beside) gather.writes.add(box), gather.written.add(box, {});
  }
  if (!is_beside) return false;
  for (const Box& box : copy.reads.take()) gather.reads.add(box);
  gather.amount += copy.amount;
  return true;
}

void Joiner::flush(CoreState& core) {
  if (core.gather) {
    Gather gather = *std::exchange(core.gather, std::nullopt);
    flush(core, gather);
  }
  for (Accesses& accesses : core.accesses) flush(accesses);
  core.accesses.clear();
}

void Joiner::flush(Accesses& accesses) {
  for (const Box& box : accesses.boxes.take()) pass(accesses.first, box);
}

void Joiner::flush(CoreState& core, Gather& gather) {
  gather.start.amount = gather.signal.amount = gather.amount;
  const std::int64_t number = core.copies;
  pass(core, gather.start);
  gather.read.agent.dma = gather.write.agent.dma = gather.signal.agent.dma = number;
  for (const Box& box : gather.reads.take()) pass(gather.read, box);
  for (const Box& box : gather.writes.take()) pass(gather.write, box);
  sink_(gather.signal);
}

// Records a start, with its number among the recorded copies.
void Joiner::pass(CoreState& core, Event event) {
  const auto number = static_cast<std::size_t>(event.token);
  if (number >= core.numbers.size()) core.numbers.resize(number + 1);
  event.token = core.numbers[number] = core.copies++;
  sink_(event);
}

void Joiner::pass(Event like, const Box& box) {
  like.box = &box;
  sink_(like);
}

void Joiner::finish() {
  for (CoreState& core : cores_) flush(core);
}

}  // namespace tessera
