// Opaque ops: their reads and writes are known, their results are not.
#include <optional>

#include "core/program/refs.h"
#include "core/program/unknown_values.h"
#include "interp/machine/machine.h"
#include "interp/tiles/tile_ops.h"

namespace tessera {

Step exec(const OpaqueRead& op, Core& core) {
  core.read(op.src);
  return core.stopped() ? Step::stop : Step::next;
}

// The result is undefined if a source in memory is completely undefined. Otherwise, it is an
// unknown value.
Step exec(const OpaqueWrite& op, Core& core) {
  std::optional<Origin> undefined;
  const Program& program = core.machine().program();
  for (const StmtId read : opaque_sources(program, core.statement())) {
    const Slice& src = std::get<OpaqueRead>(program.body[read].op).src;
    if (is_number(program, src)) continue;
    const Region region = core.peek(src);
    if (region.storage == nullptr || region.box.empty() || undefined) continue;
    if (region.storage->is_undefined(region.box))
      undefined = region.storage->origin(region.storage->first_uninitialised(region.box));
  }
  const TileView dst = core.write(op.dst);
  if (core.stopped()) return Step::stop;
  tile::unknown(dst, undefined, core.tile_context());
  return Step::next;
}

}  // namespace tessera
