// What of a program nobody knows: the values that `opaque` makes, and all that is made of them.
#pragma once
#include <string>
#include <vector>

#include "core/program/program.h"
#include "core/report/diag.h"

namespace tessera {

// By the statement, an opaque_write, from which it comes first; none: it is known. Memory counts
// as a whole: a buffer of which any element may be unknown is, at any time.
struct UnknownValues {
  Table<BufferId, StmtId> buffers;
  Table<ValueId, StmtId> values;  // scalars and reals

  // Whether there are any.
  bool any = false;
};
UnknownValues unknown_values(const Program& program);
// "`opaque` at kernel.py:49": the source of the values of a buffer or number; empty if they are
// known. `from`: its entry in UnknownValues. That analysis costs as much as the program is long.
std::string why_unknown(const Program& program, StmtId from);
std::string why_unknown(const Program& program, BufferId buffer);
std::string why_unknown(const Program& program, ValueId number);

// The opaque_reads that the values of an opaque_write are made of, in the order of the program.
std::vector<StmtId> opaque_sources(const Program& program, StmtId write);

// The next op of the `opaque` that this one is of: both stand at one place, and only what computes
// indices lies between. None behind its last one.
StmtId next_of_opaque(const Program& program, StmtId statement);

// Statements that do one thing or another, or may stop the run, by a value that is not known: each
// an error with the reason. Empty where nothing is unknown.
Diags unknown_control(const Program& program);

}  // namespace tessera
