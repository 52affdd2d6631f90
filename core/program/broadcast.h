// Broadcasting of tile shapes in an elementwise op. Shapes are compared from the last dimension on.
// An operand with fewer dimensions gets leading dimensions of size 1. Dimensions of size 1 are
// repeated.
#pragma once
#include <string>
#include <string_view>

#include "core/program/program.h"

namespace tessera {

// True if the source, memory or a number, can be broadcast to the shape of the target, which must
// be memory. Sizes that are not known before the run are assumed to fit.
bool broadcasts_to(const Program& program, const Slice& source, const Slice& target);
// Returns the shape as text: "(8, 200)", with ... for unknown sizes.
std::string slice_shape_text(const Program& program, const Slice& slice);
// Returns the reason of a mismatch: "`g` has shape (100), which does not fit (8, 200): ...".
// name: the operand, as from operand_name()
// shape, wanted: shapes of the operand and of the target, as from slice_shape_text()
std::string misfit_text(std::string_view name, std::string_view shape, std::string_view wanted);
// Returns the source name of the slice's memory, in backquotes; `what` if it has no name, as for
// the value of an expression.
std::string operand_name(const Program& program, const Slice& slice, std::string_view what);

}  // namespace tessera
