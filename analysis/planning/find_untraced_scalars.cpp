#include "analysis/planning/find_untraced_scalars.h"

#include "core/data/dtype.h"
#include "core/passes/at_once.h"
#include "core/passes/purpose.h"
#include "core/program/refs.h"
#include "interp/machine/control_flow.h"
#include "interp/machine/planning_memory.h"

namespace tessera {
namespace {

using Mode = UntracedScalars::Mode;

BufferId buffer_of(const Program& program, const Slice& slice) {
  const Value& base = program.value(slice.base);
  return base.kind == ValueKind::ref ? base.buffer : BufferId();
}

Table<BufferId, Mode> modes(const Program& program) {
  const Table<BufferId, bool> stored = stored_by_points(program);
  Table<BufferId, Mode> mode;
  for (const BufferId b : program.buffers.ids()) {
    const Buffer& buffer = program.buffers[b];
    const bool is_plain = buffer.space == Space::smem && !is_float(buffer.dtype) &&
                          buffer.order.empty() && buffer.shape.size() <= max_indices;
    mode.add(is_plain && !stored[b] ? Mode::untraced : Mode::traced);
  }
  for (const Stmt& s : program.body) {
    if (class_of(s.op) != OpClass::copy || is_at_once(program, s.op)) continue;
    for (const FieldInfo& f : info(s.op).fields) {
      if (f.kind != FieldKind::Slice) continue;
      const BufferId b = buffer_of(program, field<Slice>(s.op, f));
      if (b && mode[b] == Mode::untraced) mode[b] = Mode::batched;
    }
  }
  return mode;
}

}  // namespace

UntracedScalars find_untraced_scalars(const Program& program) {
  UntracedScalars result{modes(program), Table<StmtId, bool>(program.body.size(), false)};
  const Table<StmtId, bool> reads_control = control_flow(program).reads;
  const Table<BufferId, bool> planning = planning_memory(program, reads_control);
  const Table<StmtId, Purpose> purpose = purposes(program);
  for (const StmtId s : program.body.ids()) {
    if (purpose[s] != Purpose::work) continue;
    const auto* load = std::get_if<Load>(&program.body[s].op);
    const auto* store = std::get_if<Store>(&program.body[s].op);
    const BufferId b = load != nullptr    ? buffer_of(program, load->src)
                       : store != nullptr ? buffer_of(program, store->dst)
                                          : BufferId();
    if (!b) continue;
    const bool is_integer =
        store == nullptr || program.value(store->value).kind == ValueKind::scalar;
    result.statements[s] = load != nullptr
                               ? reads_control[s] && result.mode[b] != Mode::traced
                               : is_integer && planning[b] && result.mode[b] == Mode::untraced;
  }
  return result;
}

}  // namespace tessera
