#include "core/passes/expand.h"

#include <algorithm>

#include "core/passes/at_once.h"
#include "core/passes/automatic_barrier.h"
#include "core/passes/pipeline_writer.h"
#include "core/passes/simplify.h"
#include "core/report/guarded.h"

namespace tessera {

// The new program keeps the declarations, texts and places with their ids. All other entries are
// written anew.
Expander::Expander(const Program& program, const Expansion& how, bool at_once)
    : old_(program), how_(how), at_once_(at_once), builder_(program.name), tiles_(builder_) {
  Program& p = builder_.program();
  p.doc = program.doc;
  p.settings = program.settings;
  p.texts = program.texts;
  p.places = program.places;
  p.call_place = program.call_place;
  p.devices = program.devices;
  p.cores = program.cores;
  for (const Buffer& b : program.buffers) builder_.buffer(b);
  for (const Semaphore& s : program.semaphores) builder_.semaphore(s);
}

Expected<Program> Expander::run() {
  ValueMap map;
  const Program& p = builder_.program();
  for (const BufferId b : old_.buffers.ids()) map[old_.buffers[b].value] = p.buffers[b].value;
  for (const SemaphoreId s : old_.semaphores.ids())
    map[old_.semaphores[s].value] = p.semaphores[s].value;
  if (needs_barrier(old_)) emit_barrier(builder_, old_);
  if (at_once_) declare_at_once();
  write(StmtId(0), old_.body.next(), map);
  if (!diags_.empty()) return diags_;
  const SemaphoreId marked = at_once_ ? p.value(at_once_semaphore_).semaphore : SemaphoreId();
  const BufferId state = at_once_state_ != no_value ? p.value(at_once_state_).buffer : BufferId();
  Program result = simplify(builder_.finish());
  Diags problems = verify(result);
  if (!problems.empty()) return problems;
  if (marked) mark_at_once(result.semaphores[marked], state);
  return result;
}

// All pipelines use one array in turn, as large as the largest pipeline needs, so that its elements
// are defined only once.
void Expander::declare_at_once() {
  Semaphore semaphore;
  semaphore.name = "at_once";
  semaphore.kind = SemKind::bytes;
  at_once_semaphore_ = builder_.semaphore(std::move(semaphore));
  std::int64_t numbers = 0;
  for (const StmtId s : old_.body.ids()) {
    if (!std::holds_alternative<Pipeline>(old_.body[s].op)) continue;
    Diags others;  // reported when the pipeline is written
    const PipelineParts parts = pipeline_parts(old_, s, others);
    if (others.empty()) numbers = std::max(numbers, numbers_of(old_, parts));
  }
  if (numbers == 0) return;
  Buffer state;
  state.name = "windows";
  state.space = Space::smem;
  state.dtype = DType::i64;
  state.shape = {numbers};
  at_once_state_ = builder_.buffer(std::move(state));
  builder_.emit(Iota{builder_.whole(at_once_state_)});
}

ValueId Expander::mapped(ValueId old, const ValueMap& map) {
  const Value& v = old_.value(old);
  if (v.constant)
    return v.kind == ValueKind::real ? builder_.real(v.real) : builder_.integer(v.integer);
  const auto it = map.find(old);
  CHECK(it != map.end());
  return it->second;
}

Slice Expander::compose(const Replacement& outer, const Slice& inner) {
  Slice result = outer.slice;
  const std::vector<int> dims = kept(outer.slice);
  const std::size_t rank = dims.size();
  CHECK(static_cast<std::size_t>(inner.rank) == rank);
  std::vector<ValueId> extents;
  for (const int d : dims) extents.push_back(outer.slice.size[static_cast<std::size_t>(d)]);
  if (outer.checked) hold_inside(inner, extents);
  for (std::size_t i = 0; i < rank; ++i) {
    const auto d = static_cast<std::size_t>(dims[i]);
    result.start[d] = builder_.add(outer.slice.start[d], inner.start[i]);
    result.size[d] = inner.size[i];
    if (inner.dropped >> i & 1) result.dropped |= static_cast<std::uint8_t>(1U << d);
  }
  return result;
}

const Replacement* Expander::replacement(ValueId ref) const {
  const auto found = replaced_.find(ref);
  return found == replaced_.end() ? nullptr : &found->second;
}

Slice Expander::with_scalars(const Slice& old, const ValueMap& map) {
  Slice s = old;
  for (std::size_t d = 0; d < static_cast<std::size_t>(s.rank); ++d) {
    s.start[d] = mapped(old.start[d], map);
    s.size[d] = mapped(old.size[d], map);
  }
  return s;
}

Slice Expander::mapped(const Slice& old, const ValueMap& map) {
  return place(with_scalars(old, map), map).slice;
}

Op Expander::mapped(const Op& old, const ValueMap& map) {
  Op op = old;
  only_looks_ = class_of(op) == OpClass::debug;
  for (const FieldInfo& f : info(op).fields) {
    if (f.kind == FieldKind::Value) field<ValueId>(op, f) = mapped(field<ValueId>(old, f), map);
    if (f.kind == FieldKind::Maybe && field<Maybe>(old, f).id != no_value)
      field<Maybe>(op, f).id = mapped(field<Maybe>(old, f).id, map);
    if (f.kind != FieldKind::Slice) continue;
    const ViewPlace at = place(with_scalars(field<Slice>(old, f), map), map);
    field<Slice>(op, f) = at.layers.empty() ? at.slice : operand(op, f, at);
  }
  finish_copy(op, old, map);
  only_looks_ = false;
  return op;
}

bool Expander::opens_loop(StmtId at) const {
  const Op& op = old_.body[at].op;
  return std::holds_alternative<For>(op) || std::holds_alternative<While>(op);
}

StmtId Expander::write_one(StmtId at, ValueMap& map) {
  const Stmt& s = old_.body[at];
  builder_.at_place(s.place);
  if (std::holds_alternative<Pipeline>(s.op)) {
    PipelineWriter(*this, at, map).write();
    return s.partner + 1;
  }
  if (const auto* view = std::get_if<View>(&s.op)) {
    const bool is_of_view = is_shown_as(view->source.base);
    replaced_[s.result] = {is_of_view ? with_scalars(view->source, map) : mapped(view->source, map),
                           true, is_of_view};
    return at + 1;
  }
  if (const auto* as = std::get_if<ViewAs>(&s.op)) {
    shown_[s.result] = {with_scalars(as->source, map), *type_of_slice(old_, as->source),
                        view_type(old_, *as)};
    return at + 1;
  }
  if (const auto* branch = std::get_if<If>(&s.op)) {
    if (const auto known = builder_.program().constant(mapped(branch->condition, map))) {
      const Stmt& middle = old_.body[s.partner];
      const bool has_else = std::holds_alternative<Else>(middle.op);
      const StmtId end = has_else ? middle.partner : s.partner;
      if (*known != 0)
        write(at + 1, s.partner, map);
      else if (has_else)
        write(s.partner + 1, end, map);
      return end + 1;
    }
  }
  const std::string name = s.result == no_value ? "" : old_.value(s.result).name;
  const ValueId result = builder_.emit(mapped(s.op, map), name);
  if (s.result != no_value) map[s.result] = result;
  tiles_.put_back();
  if (opens_loop(at)) builder_.enter_loop(name, result);
  if (std::holds_alternative<End>(s.op) && opens_loop(s.partner)) builder_.leave_loop();
  return at + 1;
}

void Expander::write(StmtId from, StmtId to, ValueMap& map) {
  while (from < to) from = write_one(from, map);
}

Expected<Program> expand(const Program& program, const Expansion& how) try {
  return Expander(program, how).run();
} catch (...) {
  return given_up("expanding the program");
}

Expected<Program> expand_at_once(const Program& structured, const Expansion& how) try {
  return Expander(structured, how, true).run();
} catch (...) {
  return given_up("expanding the program");
}

}  // namespace tessera
