#include "analysis/coverage/fills.h"

#include <fmt/format.h>

#include <utility>

#include "analysis/coverage/source_ops.h"

namespace tessera {
namespace {

// Boxes with equal hashes count as equal.
std::uint64_t hash_of(const Box& box) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (int d = 0; d < box.rank; ++d)
    for (const std::int64_t n : {box.start[Box::at(d)], box.size[Box::at(d)]})
      hash = (hash ^ static_cast<std::uint64_t>(n)) * 0x100000001b3;
  return hash;
}

BufferId scratch_destination(const Program& program, const Op& op) {
  ValueId base = no_value;
  if (const auto* start = std::get_if<Start>(&op)) base = start->dst.base;
  if (const auto* start = std::get_if<StartRemote>(&op)) base = start->dst.base;
  const BufferId buffer = base == no_value ? BufferId() : program.value(base).buffer;
  return buffer && program.buffers[buffer].role == Role::scratch ? buffer : BufferId();
}

// True if a `mod` or memory decides the position of the destination: the sign of a ring of slots.
bool is_slot_chosen(const Program& program, StmtId copy) {
  const Op& op = program.body[copy].op;
  const auto* start = std::get_if<Start>(&op);
  const Slice& dst = start != nullptr ? start->dst : std::get<StartRemote>(op).dst;
  std::vector<ValueId> open(dst.start.begin(), dst.start.begin() + dst.rank);
  for (int steps = 0; !open.empty() && steps < 256; ++steps) {
    const ValueId value = open.back();
    open.pop_back();
    const StmtId defined = value == no_value ? StmtId() : program.value(value).statement;
    if (!defined) continue;
    const Op& by = program.body[defined].op;
    if (std::holds_alternative<Mod>(by) || std::holds_alternative<Load>(by)) return true;
    for (const FieldInfo& f : info(by).fields)
      if (f.kind == FieldKind::Value && class_of(by) == OpClass::scalar)
        open.push_back(field<ValueField>(by, f));
  }
  return false;
}

}  // namespace

void Fills::begin(const Program& program) {
  into_.assign(program.body.size(), BufferId());
  fills_.assign(program.body.size(), 0);
  open_of_.assign(program.buffers.size(), 0);
  filled_.clear();
  for (const StmtId s : program.body.ids()) {
    if (!is_in_loop(program, s)) continue;
    const BufferId buffer = scratch_destination(program, program.body[s].op);
    if (!buffer) continue;
    into_[s] = buffer;
    ++open_of_[buffer];
  }
}

void Fills::note(const Event& event) {
  const BufferId buffer = event.object.buffer();
  auto& filled = filled_[{event.core.index, buffer}];
  if (event.kind == EventKind::alloc) return filled.clear();
  if (event.kind != EventKind::write && event.kind != EventKind::accumulate) return;
  const bool is_new = filled.insert(hash_of(*event.box)).second;
  if (into_[event.statement] != buffer) return;
  ++fills_[event.statement];
  if (is_new) return;
  into_[event.statement] = BufferId();
  --open_of_[buffer];
}

void Fills::add_notes(const Program& program, CoverageNotes& notes) const {
  for (const StmtId s : program.body.ids()) {
    if (fills_[s] == 0 || !own_loc(program, s)) continue;
    CoverageNote note{
        .kind = Uncovered::slot, .loc = own_loc(program, s), .object = library_place(program, s)};
    if (!into_[s]) {
      notes.seen.push_back(std::move(note));
      continue;
    }
    note.message = fmt::format("this copy fills no slot of `{}` a second time",
                               source_name(program.buffers[into_[s]].name));
    note.is_minor = !is_slot_chosen(program, s);
    notes.missing.push_back(std::move(note));
  }
}

}  // namespace tessera
