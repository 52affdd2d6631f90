#include "interp/memory/host_need.h"

#include <fmt/format.h>

#include <variant>

#include "core/host/host_memory.h"
#include "interp/machine/idle.h"
#include "interp/machine/topology.h"

namespace tessera {
namespace {

bool is_copy(const Op& op) {
  return std::holds_alternative<Start>(op) || std::holds_alternative<StartRemote>(op) ||
         std::holds_alternative<WriteBack>(op);
}

// True for buffers that an op other than a copy stores into.
Table<BufferId, bool> stored_buffers(const Program& program) {
  Table<BufferId, bool> stored(program.buffers.size());
  for (const Stmt& statement : program.body) {
    if (is_copy(statement.op)) continue;
    for (const FieldInfo& f : info(statement.op).fields) {
      if (f.kind != FieldKind::Slice || (f.name != "dst" && f.name != "acc")) continue;
      const Value& base = program.value(field<Slice>(statement.op, f).base);
      if (base.kind == ValueKind::ref && base.buffer) stored[base.buffer] = true;
    }
  }
  return stored;
}

}  // namespace

std::int64_t scratch_bytes(const Program& expanded, const RunOptions& options) {
  const Table<BufferId, bool> stored = stored_buffers(expanded);
  const Table<BufferId, bool> idle = idle_buffers(expanded, options);
  std::int64_t bytes = 0;
  for (const BufferId b : expanded.buffers.ids()) {
    const Buffer& buffer = expanded.buffers[b];
    if (buffer.role != Role::scratch || !stored[b] || idle[b]) continue;
    const std::int64_t owners =
        std::int64_t{options.machine.devices} *
        (buffer.space == Space::hbm ? 1
                                    : options.machine.cores * (1 + options.machine.loop_workers));
    std::int64_t all = 0;
    if (__builtin_mul_overflow(elements(buffer.shape) * size_of(buffer.dtype), owners, &all) ||
        __builtin_add_overflow(bytes, all, &bytes))
      return INT64_MAX;
  }
  return bytes;
}

Expected<void> check_scratch(const Program& expanded, const RunOptions& options) {
  constexpr std::int64_t never_too_much = std::int64_t{64} << 20;
  const std::int64_t bytes = scratch_bytes(expanded, options);
  if (bytes <= never_too_much) return {};
  const MemoryLimit limit = memory_limit();
  if (bytes <= limit.left) return {};
  return error(ErrorCode::environment,
               fmt::format("the scratch of {} simulated cores that {} stores into takes {}, and "
                           "the process has {} left of {} ({})",
                           options.machine.devices * options.machine.cores *
                               (1 + options.machine.loop_workers),
                           expanded.name, memory_text(bytes), memory_text(limit.left),
                           memory_text(limit.bytes), limit.by));
}

}  // namespace tessera
