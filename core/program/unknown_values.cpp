#include "core/program/unknown_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/program/refs.h"

namespace tessera {
namespace {

// Returns the slice that an op writes when it runs, or that its copy writes later; null for other
// ops.
const Slice* target_of(const Op& op) {
  if (const auto* remote = std::get_if<StartRemote>(&op)) return &remote->dst;
  if (const auto* back = std::get_if<WriteBack>(&op)) return &back->dst;
  return written_slice(op);
}

// Propagates unknown values forward to a fixed point.
class Forward {
 public:
  explicit Forward(const Program& program)
      : program_(program),
        found_{Table<BufferId, StmtId>(program.buffers.size()),
               Table<ValueId, StmtId>(program.values.size())} {}

  UnknownValues run() {
    for (const StmtId i : program_.body.ids()) {
      const auto* write = std::get_if<OpaqueWrite>(&program_.body[i].op);
      if (write == nullptr) continue;
      found_.any = true;
      note(write->dst, i);
    }
    for (grew_ = found_.any; grew_;) {
      grew_ = false;
      for (const StmtId i : program_.body.ids()) step(i);
    }
    return std::move(found_);
  }

  // Returns the origin if the contents of the slice, or its number, are unknown; else none.
  static StmtId of(const Program& program, const UnknownValues& unknown, const Slice& slice) {
    if (is_number(program, slice)) return unknown.values[slice.base];
    const BufferId buffer = buffer_of(program, slice);
    return buffer ? unknown.buffers[buffer] : StmtId();
  }

 private:
  // None for a semaphore.
  static BufferId buffer_of(const Program& program, const Slice& slice) {
    if (program.value(slice.base).kind != ValueKind::ref) return {};
    return program.value(ref_info(program, slice.base).root).buffer;
  }
  void note(const Slice& dst, StmtId from) {
    const BufferId buffer = is_number(program_, dst) ? BufferId() : buffer_of(program_, dst);
    if (!buffer || found_.buffers[buffer]) return;
    found_.buffers[buffer] = from;
    grew_ = true;
  }
  void step(StmtId i) {
    const Stmt& s = program_.body[i];
    const Slice* const dst = target_of(s.op);
    StmtId from;
    for (const FieldInfo& f : info(s.op).fields) {
      if (f.kind == FieldKind::Value && !from) from = found_.values[field<ValueId>(s.op, f)];
      if (f.kind == FieldKind::Slice && !from && &field<Slice>(s.op, f) != dst)
        from = of(program_, found_, field<Slice>(s.op, f));
    }
    if (!from) return;
    if (dst != nullptr) note(*dst, from);
    const ResultKind result = info(s.op).result;
    const bool is_number = result == ResultKind::Scalar || result == ResultKind::Real;
    if (!is_number || s.result == no_value || found_.values[s.result]) return;
    found_.values[s.result] = from;
    grew_ = true;
  }

  const Program& program_;
  UnknownValues found_;
  bool grew_ = false;
};

class ControlCheck {
 public:
  ControlCheck(const Program& program, const UnknownValues& unknown)
      : program_(program), unknown_(unknown) {}

  Diags run() {
    for (const StmtId i : program_.body.ids()) {
      const Op& op = program_.body[i].op;
      for (const FieldInfo& f : info(op).fields)
        if (const StmtId from = decided_by(op, f)) {
          report(i, from);
          break;
        }
    }
    return std::move(diags_);
  }

 private:
  StmtId decided_by(const Op& op, const FieldInfo& f) const {
    const bool decides = is_control(program_, op, f, false);
    if (f.kind == FieldKind::Value && decides) return of(field<ValueId>(op, f));
    if (f.kind == FieldKind::Maybe && decides) return of(field<Maybe>(op, f).id);
    if (f.kind != FieldKind::Slice) return {};
    const auto& slice = field<Slice>(op, f);
    for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d)
      for (const ValueId bound : {slice.start[d], slice.size[d]})
        if (const StmtId from = of(bound)) return from;
    return decides ? Forward::of(program_, unknown_, slice) : StmtId();
  }
  StmtId of(ValueId id) const { return id == no_value ? StmtId() : unknown_.values[id]; }

  void report(StmtId at, StmtId from) {
    const PlaceId place = program_.body[at].place;
    Diag diag{ErrorCode::unsupported,
              program_.written(place),
              fmt::format("`{}` depends here on a value that is not known",
                          info(program_.body[at].op).mnemonic),
              {}};
    if (place && program_.places[place].written)
      diag.notes.push_back({program_.loc(place), "it comes from here"});
    diag.notes.push_back({program_.loc(from), "`opaque` produces it here"});
    diags_.push_back(std::move(diag));
  }

  const Program& program_;
  const UnknownValues& unknown_;
  Diags diags_;
};

}  // namespace

UnknownValues unknown_values(const Program& program) { return Forward(program).run(); }

std::string why_unknown(const Program& program, StmtId from) {
  if (!from) return "";
  const Loc loc = program.loc(from);
  return loc ? fmt::format("`opaque` at {}:{}", loc.source->name, loc.line) : "an `opaque`";
}

namespace {

bool has_opaque(const Program& program) {
  return std::any_of(program.body.begin(), program.body.end(),
                     [](const Stmt& s) { return std::holds_alternative<OpaqueWrite>(s.op); });
}

}  // namespace

std::string why_unknown(const Program& program, BufferId buffer) {
  if (!has_opaque(program)) return "";
  return why_unknown(program, unknown_values(program).buffers[buffer]);
}

std::string why_unknown(const Program& program, ValueId number) {
  if (!has_opaque(program)) return "";
  return why_unknown(program, unknown_values(program).values[number]);
}

std::vector<StmtId> opaque_sources(const Program& program, StmtId write) {
  std::vector<StmtId> reads;
  const PlaceId place = program.body[write].place;
  for (StmtId i = write; i && program.body[i].place == place; --i) {
    const Op& op = program.body[i].op;
    const bool is_read = std::holds_alternative<OpaqueRead>(op);
    if (is_read) reads.push_back(i);
    if (!reads.empty() && std::holds_alternative<OpaqueWrite>(op)) break;
  }
  std::reverse(reads.begin(), reads.end());
  return reads;
}

StmtId next_of_opaque(const Program& program, StmtId statement) {
  for (StmtId i = statement + 1; i < program.body.next(); ++i) {
    const Op& op = program.body[i].op;
    if (std::holds_alternative<OpaqueRead>(op) || std::holds_alternative<OpaqueWrite>(op))
      return program.body[i].place == program.body[statement].place ? i : StmtId();
    const OpClass of = class_of(op);
    if (of != OpClass::scalar && of != OpClass::check && of != OpClass::cells) return {};
  }
  return {};
}

Diags unknown_control(const Program& program) {
  const UnknownValues unknown = unknown_values(program);
  if (!unknown.any) return {};
  return ControlCheck(program, unknown).run();
}

}  // namespace tessera
