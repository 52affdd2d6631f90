// How the shapes of tiles go together in an elementwise op. They are compared from the last
// dimension on; an operand of fewer dimensions has leading ones of size 1, and a dimension of size
// 1 is repeated.
#pragma once
#include <string>
#include <string_view>

#include "core/program/program.h"

namespace tessera {

// Whether the source, memory or a number, can be repeated to the shape of the target. What is not
// known before the run is taken to fit.
bool broadcasts_to(const Program& program, const Slice& source, const Slice& target);
// "(8, 200)", with ... for a size that is not known.
std::string slice_shape_text(const Program& program, const Slice& slice);
// Says why they do not go together: "`g` has shape (100), which does not fit (8, 200): ...". `name`
// is what the reader knows the operand by, `shape` and `wanted` are texts of shapes.
std::string misfit_text(std::string_view name, std::string_view shape, std::string_view wanted);
// The name in the source of the memory that is read, in backquotes; `what` for a value that an
// expression made, which has none.
std::string operand_name(const Program& program, const Slice& slice, std::string_view what);

}  // namespace tessera
