#include "analysis/planning/memoised_pipelines.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/passes/at_once.h"
#include "core/program/refs.h"

namespace tessera {
namespace {

// True if the op may be in a memoised pipeline: its results depend only on scalars from outside of
// the pipeline. Excluded are accesses to scalar memory, except the state of the windows, and
// queries of the device or core.
bool is_decided_around(const Program& program, const Op& op, BufferId state) {
  switch (class_of(op)) {
    case OpClass::scalar:
      return !std::holds_alternative<DeviceId>(op) && !std::holds_alternative<CoreId>(op);
    case OpClass::cells:
      for (const FieldInfo& f : info(op).fields)
        if (f.kind == FieldKind::Slice) {
          const Slice& slice = field<Slice>(op, f);
          if (program.value(slice.base).kind != ValueKind::ref ||
              program.value(slice.base).buffer != state)
            return false;
        }
      return true;
    case OpClass::copy:
      return is_at_once(program, op);
    case OpClass::region:
      return std::holds_alternative<End>(op);
    case OpClass::none:
    case OpClass::check:
    case OpClass::control:
    case OpClass::lifetime:
    case OpClass::tile:
      return true;
    default:
      return false;
  }
}

// Scalars in registers that are defined before the region and that it reads.
std::vector<ValueId> read_from_before(const Program& program, StmtId region) {
  std::set<ValueId> read;
  const auto visit = [&](ValueId id) {
    if (id == no_value) return;
    const Value& value = program.value(id);
    const bool is_number = value.kind == ValueKind::scalar || value.kind == ValueKind::real;
    if (is_number && !value.constant && value.statement < region) read.insert(id);
  };
  for (StmtId i = region + 1; i < program.body[region].partner; ++i) {
    const Op& op = program.body[i].op;
    for (const FieldInfo& f : info(op).fields) {
      if (f.kind == FieldKind::Value) visit(field<ValueId>(op, f));
      if (f.kind != FieldKind::Slice) continue;
      const Slice& slice = field<Slice>(op, f);
      visit(slice.base);
      for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d)
        visit(slice.start[d]), visit(slice.size[d]);
    }
  }
  return {read.begin(), read.end()};
}

}  // namespace

bool MemoisedPipelines::may_be(const Program& program, const RunOptions& options) {
  return is_at_once(program) && options.schedule == "eager" && options.machine.slow_device < 0 &&
         options.machine.loop_workers == 0 && options.math == Math::none &&
         !options.computes_values && options.checks.enabled;
}

MemoisedPipelines::MemoisedPipelines(Machine& machine)
    : machine_(machine), program_(machine.program()) {
  find_regions();
}

void MemoisedPipelines::find_regions() {
  const BufferId state = at_once_state(program_);
  StmtId end_of_points(0);
  for (const StmtId s : program_.body.ids()) {
    const Stmt& stmt = program_.body[s];
    if (!pipeline_of(stmt.op)) {
      const auto* loop = std::get_if<For>(&stmt.op);
      if (loop != nullptr && loop->parallel != 0)
        end_of_points = std::max(end_of_points, stmt.partner);
      continue;
    }
    // In a parallel loop each iteration must report its own accesses. A loop that begins inside of
    // a pipeline also ends there.
    bool is_decided = s >= end_of_points;
    for (StmtId i = s + 1; i < stmt.partner; ++i)
      is_decided = is_decided && is_decided_around(program_, program_.body[i].op, state);
    if (is_decided) regions_[s] = read_from_before(program_, s);
  }
}

Step MemoisedPipelines::enter(Core& core) {
  const auto emit = [&](std::int64_t pattern) {
    core.emit({.kind = EventKind::enter,
               .amount = std::get<Trace>(core.stmt().op).level,
               .token = pattern});
    return Step::next;
  };
  const auto region = regions_.find(core.statement());
  if (region == regions_.end()) return emit(-1);
  std::vector<std::int64_t> scalars;
  for (const ValueId v : region->second) scalars.push_back(core.scalar(v));
  if (seen_) return emit(-1);  // only one pattern is recorded at a time
  const auto next = static_cast<std::int64_t>(patterns_.size());
  const auto [known, is_new] = numbers_.try_emplace({region->first, std::move(scalars)}, next);
  Usage& usage = machine_.core_state(core.index()).usage;
  if (is_new) {
    Pattern& pattern = patterns_.emplace_back();
    const RunStats& now = machine_.stats();
    seen_ = {next, core.id(), usage, core.steps(), now.dma_bytes, now.matmul_flops};
    usage.forget_peaks();
    pattern.usage = usage;
    return emit(next);
  }
  const Pattern& pattern = patterns_[static_cast<std::size_t>(known->second)];
  if (!can_begin(core, pattern)) return emit(-1);
  tell(core, pattern, known->second);
  for (const Reached& reached : pattern.writes)
    for (const Box& box : reached.boxes) {
      Storage& storage = *machine_.core_state(core.index()).storages[reached.buffer];
      storage.write(box);
      storage.initialise(box);
    }
  for (const BufferId b : pattern.allocated) ++machine_.core_state(core.index()).lives[b];
  usage.note_peaks(pattern.usage);
  machine_.stats().dma_bytes += pattern.dma_bytes;
  machine_.stats().matmul_flops += pattern.flops;
  core.count_steps(pattern.steps);
  return Step::skip;
}

bool MemoisedPipelines::can_begin(Core& core, const Pattern& pattern) const {
  const CoreState& state = machine_.core_state(core.index());
  if (!pattern.is_usable || !state.usage.takes_as_much_as(pattern.usage)) return false;
  const auto is_defined = [&](const Reached& reached) {
    const Storage& storage = *state.storages[reached.buffer];
    return storage.is_live() &&
           std::all_of(reached.boxes.begin(), reached.boxes.end(),
                       [&](const Box& box) { return storage.is_initialised(box); });
  };
  const auto holds_nothing = [&](const Reached& reached) {
    const Storage& storage = *state.storages[reached.buffer];
    return storage.is_live() && storage.is_idle();
  };
  return std::all_of(pattern.reads.begin(), pattern.reads.end(), is_defined) &&
         std::all_of(pattern.writes.begin(), pattern.writes.end(), holds_nothing);
}

void MemoisedPipelines::tell(Core& core, const Pattern& pattern, std::int64_t number) const {
  const Stmt& region = core.stmt();
  core.emit({.kind = EventKind::enter,
             .amount = std::get<Trace>(region.op).level,
             .token = number,
             .is_known = true});
  const auto each = [&](EventKind kind, const std::vector<Reached>& all) {
    for (const Reached& reached : all)
      for (const Box& box : reached.boxes)
        core.emit_at(reached.statement, {.kind = kind,
                                         .object_kind = ObjectKind::buffer,
                                         .core = core.index(),
                                         .object = reached.buffer,
                                         .box = &box});
  };
  each(EventKind::read, pattern.reads);
  each(EventKind::write, pattern.writes);
  core.emit_at(region.partner, {.kind = EventKind::leave, .token = number, .is_known = true});
}

void MemoisedPipelines::leave(Core& core) {
  const bool is_seen = seen_ && seen_->core == core.id();
  core.emit({.kind = EventKind::leave, .token = is_seen ? seen_->pattern : -1});
  if (!is_seen) return;
  const Seen seen = *std::exchange(seen_, std::nullopt);
  Pattern& pattern = patterns_[static_cast<std::size_t>(seen.pattern)];
  CoreState& state = machine_.core_state(core.index());
  pattern.is_usable = pattern.is_usable && state.usage.takes_as_much_as(pattern.usage);
  pattern.usage.note_peaks(state.usage);
  state.usage.note_peaks(seen.before);
  pattern.steps = core.steps() - seen.steps;
  pattern.dma_bytes = machine_.stats().dma_bytes - seen.dma_bytes;
  pattern.flops = machine_.stats().matmul_flops - seen.flops;
  for (std::vector<Reached>* all : {&pattern.reads, &pattern.writes})
    for (Reached& reached : *all) {
      reached.boxes = reached.joined.take();
      const Storage& storage = *state.storages[reached.buffer];
      for (const Box& box : reached.boxes)
        pattern.is_usable = pattern.is_usable && storage.is_initialised(box);
    }
}

bool MemoisedPipelines::is_inner(BufferId buffer) const {
  const std::vector<BufferId>& inner = patterns_.back().allocated;
  return std::find(inner.begin(), inner.end(), buffer) != inner.end();
}

MemoisedPipelines::Reached& MemoisedPipelines::of(std::vector<Reached>& all, BufferId buffer,
                                                  StmtId statement) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Reached& r) { return r.buffer == buffer; });
  if (found != all.end()) return *found;
  return all.emplace_back(Reached{buffer, statement, {}, {}});
}

// Reads of elements that the pipeline has stored itself are not recorded.
void MemoisedPipelines::read(const Event& event) {
  Pattern& pattern = patterns_.back();
  const BufferId buffer = event.object.buffer();
  for (const Reached& own : pattern.writes) {
    if (own.buffer != buffer) continue;
    bool is_own = false, meets = false;
    own.joined.for_each([&](const Box& box) {
      is_own = is_own || contains(box, *event.box);
      meets = meets || intersects(box, *event.box);
    });
    if (is_own) return;
    if (meets) pattern.is_usable = false;
  }
  if (!machine_.core_state(event.core).storages[buffer]->is_initialised(*event.box))
    pattern.is_usable = false;
  of(pattern.reads, buffer, event.statement).joined.add(*event.box);
}

void MemoisedPipelines::on(const Event& event) {
  if (!seen_) return;
  Pattern& pattern = patterns_.back();
  const bool is_own = event.agent == seen_->core;
  switch (event.kind) {
    case EventKind::read:
    case EventKind::update:
    case EventKind::write:
    case EventKind::fresh:
      if (is_own && is_inner(event.object.buffer())) return;
      if (!is_own || event.kind == EventKind::fresh) break;
      if (event.kind != EventKind::write) read(event);
      if (event.kind != EventKind::read)
        of(pattern.writes, event.object.buffer(), event.statement).joined.add(*event.box);
      return;
    case EventKind::alloc:
      if (!is_own || event.object_kind != ObjectKind::buffer) break;
      pattern.allocated.push_back(event.object.buffer());
      return;
    case EventKind::release:
      if (!is_own || event.object_kind != ObjectKind::buffer) break;
      return;
    case EventKind::enter:
    case EventKind::leave:
    case EventKind::point:
    case EventKind::points_end:
      return;
    default:
      break;
  }
  pattern.is_usable = false;
}

}  // namespace tessera
