#include "core/passes/pipeline_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "core/passes/simplify.h"
#include "core/program/refs.h"

namespace tessera {
namespace {

class PartsFinder {
 public:
  PartsFinder(const Program& program, StmtId open, Diags& diags) : old_(program), diags_(diags) {
    parts_.open = open;
    parts_.close = old_.body[open].partner;
    parts_.grid_from = open + 1;
  }

  PipelineParts run() {
    find_parts();
    classify();
    refuse_early_uses();
    return std::move(parts_);
  }

 private:
  const Stmt& stmt(StmtId at) const { return old_.body[at]; }

  void find_parts();
  std::set<ValueId> index_memory() const;
  std::set<ValueId> written_windows() const;
  // Effects of the body of a step on the windows of later steps.
  struct Changes {
    bool memory = false;   // waits, so data may arrive in all memory except operands
    bool indices = false;  // changes memory from which window positions are computed
  };
  Changes changes() const;
  ValueId root_of(ValueId ref) const;
  bool is_operand(ValueId ref) const;  // true for inputs: filled before the run and never written
  void classify();
  void classify(PipelineWindow& w, const std::set<ValueId>& written, const Changes& by_body);
  void refuse_early_uses();

  const Program& old_;
  Diags& diags_;
  PipelineParts parts_;
};

// Finds the grid dimensions with the scalar code before each, then windows among scalar code, then
// the body.
void PartsFinder::find_parts() {
  StmtId from = parts_.open + 1;
  parts_.body_from = from;
  for (StmtId i = parts_.open + 1; i < parts_.close; ++i) {
    const Stmt& s = stmt(i);
    if (std::holds_alternative<Grid>(s.op)) {
      parts_.dimensions.push_back({from, i});
      from = parts_.body_from = i + 1;
    } else if (std::holds_alternative<Window>(s.op)) {
      parts_.windows.push_back({});
      parts_.windows.back().at = i;
      parts_.body_from = i + 1;
    } else if (!is_pure(s.op)) {
      if (std::holds_alternative<Pipeline>(s.op)) i = s.partner;  // skip nested windows
    }
  }
}

// Returns the buffers from which the window positions are computed in each step.
std::set<ValueId> PartsFinder::index_memory() const {
  std::set<ValueId> result;
  for (StmtId i = parts_.open; i < parts_.body_from; ++i) {
    const Stmt& s = stmt(i);
    if (std::holds_alternative<Window>(s.op)) continue;
    for (const FieldInfo& f : info(s.op).fields)
      if (f.kind == FieldKind::Slice) result.insert(root_of(field<Slice>(s.op, f).base));
  }
  return result;
}

// Returns the output windows: those written in the body, directly or through a view.
std::set<ValueId> PartsFinder::written_windows() const {
  std::map<ValueId, ValueId> window_of;
  for (const PipelineWindow& w : parts_.windows) window_of[stmt(w.at).result] = stmt(w.at).result;
  std::set<ValueId> written;
  for (StmtId i = parts_.body_from; i < parts_.close; ++i) {
    const Stmt& s = stmt(i);
    const auto stands_for = [&](ValueId source) {
      if (const auto it = window_of.find(source); it != window_of.end())
        window_of[s.result] = it->second;
    };
    // Writing to a nested pipeline's window on this window also writes to this window.
    if (const Slice* viewed = viewed_slice(s.op)) {
      stands_for(viewed->base);
    } else if (const auto* inner = std::get_if<Window>(&s.op)) {
      stands_for(inner->source.base);
    } else if (const Slice* target = written_slice(s.op)) {
      if (const auto it = window_of.find(target->base); it != window_of.end())
        written.insert(it->second);
    }
  }
  return written;
}

PartsFinder::Changes PartsFinder::changes() const {
  const auto body = std::span(old_.body.entries())
                        .subspan(static_cast<std::size_t>(parts_.body_from.index),
                                 static_cast<std::size_t>(parts_.close - parts_.body_from));
  const std::set<ValueId> indices = index_memory();
  Changes changes;
  changes.memory = std::any_of(body.begin(), body.end(), [](const Stmt& s) {
    return std::holds_alternative<Wait>(s.op) || std::holds_alternative<Await>(s.op) ||
           std::holds_alternative<ReadSem>(s.op);
  });
  const bool indices_arrive =
      changes.memory &&
      !std::all_of(indices.begin(), indices.end(), [&](ValueId ref) { return is_operand(ref); });
  changes.indices = indices_arrive || std::any_of(body.begin(), body.end(), [&](const Stmt& s) {
                      const Slice* target = written_slice(s.op);
                      return target && indices.contains(root_of(target->base));
                    });
  return changes;
}

// Returns the ref of the buffer that contains the memory of a window or view.
ValueId PartsFinder::root_of(ValueId ref) const {
  return old_.value(ref).kind == ValueKind::ref ? ref_info(old_, ref).root : ref;
}

bool PartsFinder::is_operand(ValueId ref) const {
  if (old_.value(ref).kind != ValueKind::ref) return false;
  const Buffer* buffer = old_.buffer(ref_info(old_, ref).root);
  return buffer != nullptr && buffer->role == Role::in;
}

void PartsFinder::classify() {
  const std::set<ValueId> written = written_windows();
  const Changes by_body = changes();
  for (PipelineWindow& w : parts_.windows) {
    classify(w, written, by_body);
    parts_.ahead = std::max(parts_.ahead, w.ahead);
  }
}

void PartsFinder::classify(PipelineWindow& w, const std::set<ValueId>& written,
                           const Changes& by_body) {
  const Stmt& s = stmt(w.at);
  const auto& window = std::get<Window>(s.op);
  if (old_.value(window.source.base).statement > parts_.open)
    diags_.push_back(
        {ErrorCode::unsupported,
         old_.loc(s.place),
         "a window on a view that moves with the grid: expected a slice of the viewed memory",
         {}});
  for (ValueId ref = window.source.base;;) {
    const StmtId shown = old_.value(ref).statement;
    const Slice* const viewed = shown ? viewed_slice(stmt(shown).op) : nullptr;
    if (viewed == nullptr) break;
    if (std::holds_alternative<ViewAs>(stmt(shown).op)) {
      diags_.push_back({ErrorCode::unsupported,
                        old_.loc(s.place),
                        "a window on a view with another shape or type: expected a window on the "
                        "memory itself, and a view of the window",
                        {}});
      break;
    }
    ref = viewed->base;
  }
  w.is_output = written.contains(s.result);
  w.is_input = !w.is_output || window.update != 0;
  w.is_view = ref_info(old_, window.source.base).space != Space::hbm;
  w.dims = kept(window.source);
  for (int d : w.dims)
    w.block.push_back(*old_.constant(window.source.size[static_cast<std::size_t>(d)]));
  const bool is_there = !by_body.memory || is_operand(window.source.base);
  if (!w.is_view && !w.is_output && !by_body.indices && is_there)
    w.ahead = static_cast<int>(window.depth) - 1;
}

// Window positions are computed for points with blocks that are not fetched yet. The scalar code
// among the windows must therefore not use a window of the pipeline.
void PartsFinder::refuse_early_uses() {
  for (StmtId i = parts_.grid_from; i < parts_.body_from; ++i) {
    const Stmt& s = stmt(i);
    if (std::holds_alternative<Window>(s.op)) continue;  // checked in classify
    for (const FieldInfo& f : info(s.op).fields) {
      if (f.kind != FieldKind::Slice) continue;
      const Value& base = old_.value(field<Slice>(s.op, f).base);
      const bool is_window =
          base.statement > parts_.open && std::holds_alternative<Window>(stmt(base.statement).op);
      if (is_window)
        diags_.push_back({ErrorCode::unsupported,
                          old_.loc(s.place),
                          fmt::format("`{}` is used among the windows of its pipeline; expected "
                                      "its use after the last window",
                                      base.name),
                          {}});
    }
  }
}

}  // namespace

PipelineParts pipeline_parts(const Program& program, StmtId open, Diags& diags) {
  return PartsFinder(program, open, diags).run();
}

}  // namespace tessera
