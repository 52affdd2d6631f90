// Unknown values of a program: those produced by `opaque` and all values that depend on them.
#pragma once
#include <string>
#include <vector>

#include "core/program/program.h"
#include "core/report/diag.h"

namespace tessera {

// For each buffer or value, the opaque_write that first makes it unknown; none: known. A buffer
// counts as unknown, at all times, if any of its elements may be unknown at any time.
struct UnknownValues {
  Table<BufferId, StmtId> buffers;
  Table<ValueId, StmtId> values;  // scalars and reals

  // True if the program has unknown values.
  bool any = false;
};
// Returns the unknown values of the program and their origins.
UnknownValues unknown_values(const Program& program);
// Return the origin of unknown values of a buffer or number: "`opaque` at kernel.py:49", or "an
// `opaque`" if it has no location. Empty if they are known. `from`: entry in UnknownValues. The
// overloads without `from` analyse the whole program.
std::string why_unknown(const Program& program, StmtId from);
std::string why_unknown(const Program& program, BufferId buffer);
std::string why_unknown(const Program& program, ValueId number);

// Returns the opaque_reads on which the values of an opaque_write depend, in program order: those
// of the same `opaque`. `write` must be an opaque_write.
std::vector<StmtId> opaque_sources(const Program& program, StmtId write);

// Returns the next opaque_read or opaque_write of the `opaque` of `statement`, which must be one of
// its ops; none after its last op. Ops of one `opaque` have the same place, with only index
// computations between them.
StmtId next_of_opaque(const Program& program, StmtId statement);

// Returns an error (ErrorCode::unsupported) for each statement whose actions depend on an unknown
// value, or at which an unknown value can stop the run. A note has the location of the `opaque`.
// Empty if there is no such statement.
Diags unknown_control(const Program& program);

}  // namespace tessera
