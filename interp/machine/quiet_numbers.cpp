#include "interp/machine/quiet_numbers.h"

#include "core/data/dtype.h"
#include "core/passes/at_once.h"
#include "core/passes/purpose.h"
#include "core/program/refs.h"
#include "interp/machine/control_flow.h"
#include "interp/machine/planning_memory.h"

namespace tessera {
namespace {

using Manner = QuietNumbers::Manner;

BufferId buffer_of(const Program& program, const Slice& slice) {
  const Value& base = program.value(slice.base);
  return base.kind == ValueKind::ref ? base.buffer : BufferId();
}

Table<BufferId, Manner> manners(const Program& program) {
  const Table<BufferId, bool> stored = stored_by_points(program);
  Table<BufferId, Manner> manner;
  for (const BufferId b : program.buffers.ids()) {
    const Buffer& buffer = program.buffers[b];
    const bool is_plain = buffer.space == Space::smem && !is_float(buffer.dtype) &&
                          buffer.order.empty() && buffer.shape.size() <= most_indices;
    manner.add(is_plain && !stored[b] ? Manner::own : Manner::none);
  }
  for (const Stmt& s : program.body) {
    if (class_of(s.op) != OpClass::copy || is_at_once(program, s.op)) continue;
    for (const FieldInfo& f : info(s.op).fields) {
      if (f.kind != FieldKind::Slice) continue;
      const BufferId b = buffer_of(program, field<Slice>(s.op, f));
      if (b && manner[b] == Manner::own) manner[b] = Manner::told;
    }
  }
  return manner;
}

}  // namespace

QuietNumbers quiet_numbers(const Program& program) {
  QuietNumbers quiet{manners(program), Table<StmtId, bool>(program.body.size(), false)};
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
    quiet.statements[s] = load != nullptr
                              ? reads_control[s] && quiet.manner[b] != Manner::none
                              : is_integer && planning[b] && quiet.manner[b] == Manner::own;
  }
  return quiet;
}

}  // namespace tessera
