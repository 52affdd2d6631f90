#include "tests/mutation/mutants.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/passes/statement_rewriter.h"
#include "core/program/refs.h"

namespace tessera {
namespace {

bool synchronises(const Op& op) {
  return std::holds_alternative<Signal>(op) || std::holds_alternative<Wait>(op) ||
         std::holds_alternative<Await>(op) || std::holds_alternative<Start>(op) ||
         std::holds_alternative<StartRemote>(op) || std::holds_alternative<WriteBack>(op);
}

// The first dimension that the slice takes one index of, where there are others to take.
std::optional<int> slot_dimension(const Program& program, const Slice& slice) {
  const Value& base = program.value(slice.base);
  const Shape* shape = nullptr;
  if (base.kind == ValueKind::sem) {
    shape = &program.semaphores[base.semaphore].shape;
  } else if (base.kind == ValueKind::ref && base.buffer) {
    shape = &program.buffers[base.buffer].shape;
  }
  for (int d = 0; shape != nullptr && d < slice.rank; ++d) {
    const bool is_index = (slice.dropped >> d & 1) != 0;
    if (is_index && (*shape)[static_cast<std::size_t>(d)] > 1) return d;
  }
  return std::nullopt;
}

bool asks_for_core(const Program& program) {
  return std::any_of(program.body.begin(), program.body.end(),
                     [](const Stmt& s) { return std::holds_alternative<CoreId>(s.op); });
}

const FieldInfo& field_named(const Op& op, std::string_view field_name) {
  for (const FieldInfo& field : info(op).fields) {
    if (field.name == field_name) return field;
  }
  return info(op).fields.front();
}

}  // namespace

std::string_view name(Mutation mutation) {
  constexpr std::string_view names[] = {"removed",        "one more",          "one less",
                                        "another device", "another core",      "another cell",
                                        "another slot",   "semaphores swapped"};
  return names[static_cast<std::size_t>(mutation)];
}

std::vector<Mutant> mutants(const Program& expanded) {
  std::vector<Mutant> result;
  for (const StmtId i : expanded.body.ids()) {
    const Op& op = expanded.body[i].op;
    if (!synchronises(op)) continue;
    const auto add = [&](Mutation mutation, std::string_view field) {
      result.push_back({mutation, i, std::string(field)});
    };
    add(Mutation::remove, "");
    for (const FieldInfo& f : info(op).fields) {
      if (f.kind == FieldKind::Value && f.name == "count") {
        add(Mutation::more, f.name);
        add(Mutation::less, f.name);
      } else if (f.kind == FieldKind::Value && f.name == "device") {
        add(Mutation::other_device, f.name);
      } else if (f.kind == FieldKind::Maybe && field<Maybe>(op, f).id != no_value) {
        add(Mutation::other_core, f.name);
      } else if (f.kind == FieldKind::Slice) {
        const Slice& slice = field<Slice>(op, f);
        if (!slot_dimension(expanded, slice)) continue;
        const bool is_cell = expanded.value(slice.base).kind == ValueKind::sem;
        add(is_cell ? Mutation::other_cell : Mutation::other_slot, f.name);
      }
    }
    if (std::holds_alternative<StartRemote>(op)) add(Mutation::swapped, "");
  }
  return result;
}

Program mutated(const Program& expanded, const Mutant& mutant) {
  StatementRewriter rewriter(expanded, mutant.statement);
  Op op = rewriter.statement().op;
  const FieldInfo& f = field_named(rewriter.statement().op, mutant.field);
  switch (mutant.mutation) {
    case Mutation::remove:
      op = rewriter.nothing();
      break;
    case Mutation::more:
      field<ValueId>(op, f) = rewriter.emit(Add{field<ValueId>(op, f), rewriter.constant(1)});
      break;
    case Mutation::less:
      field<ValueId>(op, f) = rewriter.emit(Sub{field<ValueId>(op, f), rewriter.constant(1)});
      break;
    case Mutation::other_device:
      if (field<ValueId>(op, f) == no_value) field<ValueId>(op, f) = rewriter.emit(DeviceId{});
      field<ValueId>(op, f) = rewriter.next_of(field<ValueId>(op, f), rewriter.emit(DeviceCount{}));
      // Where there are several cores the own one has to be named on another device.
      if (auto* signal = std::get_if<Signal>(&op);
          signal != nullptr && signal->core.id == no_value && asks_for_core(expanded))
        signal->core.id = rewriter.emit(CoreId{});
      break;
    case Mutation::other_core:
      field<Maybe>(op, f).id = rewriter.next_of(field<Maybe>(op, f).id, rewriter.emit(CoreCount{}));
      break;
    case Mutation::other_cell:
    case Mutation::other_slot: {
      Slice& slice = field<Slice>(op, f);
      const int d = *slot_dimension(expanded, slice);
      const Value& base = expanded.value(slice.base);
      const Shape& shape = base.kind == ValueKind::sem ? expanded.semaphores[base.semaphore].shape
                                                       : expanded.buffers[base.buffer].shape;
      ValueId& start = slice.start[static_cast<std::size_t>(d)];
      start = rewriter.next_of(start, rewriter.constant(shape[static_cast<std::size_t>(d)]));
      break;
    }
    case Mutation::swapped:
      std::swap(std::get<StartRemote>(op).sent, std::get<StartRemote>(op).arrived);
      break;
  }
  rewriter.statement().op = std::move(op);
  return rewriter.take();
}

}  // namespace tessera
