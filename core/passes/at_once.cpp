#include "core/passes/at_once.h"

#include <algorithm>
#include <map>

#include "core/program/refs.h"

namespace tessera {
namespace {

// True for ops that only compute. Lifetime ops are excluded: copies of windows could complete
// before or after the end of an allocation in the body.
bool only_computes(const Op& op) {
  switch (class_of(op)) {
    case OpClass::scalar:
    case OpClass::check:
    case OpClass::debug:
    case OpClass::cells:
    case OpClass::control:
    case OpClass::region:
    case OpClass::tile:
      return true;
    case OpClass::structure:
      return viewed_slice(op) != nullptr;
    default:
      return false;
  }
}

const Slice* counted_on(const Op& op) {
  if (const auto* start = std::get_if<Start>(&op)) return &start->sem;
  if (const auto* back = std::get_if<WriteBack>(&op)) return &back->sem;
  return nullptr;
}

// True for the semaphore that marks such programs: the language has no monotone semaphores of
// bytes.
bool is_mark(const Semaphore& semaphore) {
  return semaphore.kind == SemKind::bytes && semaphore.monotone;
}

}  // namespace

bool can_move_at_once(const Program& structured, const PipelineParts& parts) {
  for (StmtId i = parts.body_from; i < parts.close; ++i)
    if (!only_computes(structured.body[i].op)) return false;
  std::map<ValueId, int> windows;  // number of windows per memory
  for (const PipelineWindow& w : parts.windows)
    ++windows[ref_info(structured, std::get<Window>(structured.body[w.at].op).source.base).root];
  return std::all_of(parts.windows.begin(), parts.windows.end(), [&](const PipelineWindow& w) {
    if (!w.is_output || w.is_view) return true;
    const auto& window = std::get<Window>(structured.body[w.at].op);
    if (window.update != 0 && window.depth != 1) return false;
    return windows[ref_info(structured, window.source.base).root] == 1;
  });
}

bool tells_points(const Program& structured) {
  StmtId end(0);  // end of the outermost open parallel loop
  for (StmtId i(0); i < structured.body.next(); ++i) {
    const Stmt& s = structured.body[i];
    if (std::holds_alternative<Pipeline>(s.op)) {
      Diags others;
      const PipelineParts parts = pipeline_parts(structured, i, others);
      const bool is_parallel =
          i < end || std::any_of(parts.dimensions.begin(), parts.dimensions.end(),
                                 [&](const PipelineDimension& d) {
                                   return std::get<Grid>(structured.body[d.at].op).parallel != 0;
                                 });
      if (!others.empty()) return false;
      if (can_move_at_once(structured, parts))
        i = s.partner;
      else if (is_parallel)
        return false;
      continue;
    }
    const auto* loop = std::get_if<For>(&s.op);
    if (loop != nullptr && loop->parallel != 0) end = std::max(end, s.partner);
    const bool computes = only_computes(s.op) || class_of(s.op) == OpClass::structure;
    if (i < end && !computes) return false;
  }
  return true;
}

Table<BufferId, bool> at_once_slots(const Program& expanded) {
  Table<BufferId, bool> slots(expanded.buffers.size(), false);
  if (!is_at_once(expanded)) return slots;
  StmtId end(0);
  for (const StmtId i : expanded.body.ids()) {
    const Stmt& s = expanded.body[i];
    if (pipeline_of(s.op)) end = std::max(end, s.partner);
    const auto* alloc = std::get_if<Alloc>(&s.op);
    if (alloc != nullptr && i < end && expanded.value(alloc->ref.base).buffer)
      slots[expanded.value(alloc->ref.base).buffer] = true;
  }
  return slots;
}

std::int64_t numbers_of(const Program& structured, const PipelineWindow& window) {
  if (window.is_view) return 0;
  const auto& op = std::get<Window>(structured.body[window.at].op);
  return 3 + 2 * op.source.rank + op.depth;
}

std::int64_t numbers_of(const Program& structured, const PipelineParts& parts) {
  std::int64_t numbers = 0;
  for (const PipelineWindow& w : parts.windows) numbers += numbers_of(structured, w);
  if (parts.ahead == 0) return numbers;
  const auto rank = static_cast<std::int64_t>(parts.dimensions.size());
  return numbers + (parts.ahead + 1) * rank + 2 + parts.ahead;
}

Trace pipeline_mark(StmtId pipeline, TextId text) { return {-1 - pipeline.index, text}; }

StmtId pipeline_of(const Op& op) {
  const auto* region = std::get_if<Trace>(&op);
  return region != nullptr && region->level < 0
             ? StmtId(static_cast<std::int32_t>(-1 - region->level))
             : StmtId();
}

void mark_at_once(Semaphore& semaphore, BufferId state) {
  semaphore.monotone = true;
  semaphore.collective = state.index;  // unused by semaphores of bytes
}

bool is_at_once(const Program& expanded) {
  return std::any_of(expanded.semaphores.begin(), expanded.semaphores.end(), is_mark);
}

BufferId at_once_state(const Program& expanded) {
  const auto mark = std::find_if(expanded.semaphores.begin(), expanded.semaphores.end(), is_mark);
  return mark == expanded.semaphores.end() ? BufferId()
                                           : BufferId(static_cast<std::int32_t>(mark->collective));
}

bool is_at_once(const Program& expanded, const Op& op) {
  const Slice* const sem = counted_on(op);
  return sem != nullptr && is_mark(expanded.semaphores[expanded.value(sem->base).semaphore]);
}

}  // namespace tessera
