// Visits the values that an op refers to.
#pragma once
#include <cstddef>

#include "core/program/op.h"

namespace tessera {

// Calls visit(id) for each value, in the order of the fields. For a slice: its base, then start and
// size of each dimension. Absent optional values are skipped; other fields are visited also if they
// are no_value. `visit` gets references, so it may replace the ids of an op that is not const.
template <typename SomeOp, typename Visit>
void each_value(SomeOp& op, Visit visit) {
  for (const FieldInfo& f : info(op).fields) {
    if (f.kind == FieldKind::Value) visit(field<ValueId>(op, f));
    if (f.kind == FieldKind::Maybe && field<Maybe>(op, f).id != no_value)
      visit(field<Maybe>(op, f).id);
    if (f.kind != FieldKind::Slice) continue;
    auto& slice = field<Slice>(op, f);
    visit(slice.base);
    for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
      visit(slice.start[d]);
      visit(slice.size[d]);
    }
  }
}

}  // namespace tessera
