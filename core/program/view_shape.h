// What a view with another shape or type is allowed to be.
#pragma once
#include <string>

#include "core/program/refs.h"

namespace tessera {

// Along which dimension elements of one width are joined to, or split into, those of another; none:
// the widths are equal.
std::optional<int> packed_dim(const ViewType& from, const ViewType& to);
// Why memory of the first type and extents cannot be seen as the second: "" if it can. Equal
// widths: as many elements. Else the extents differ in one dimension, by the quotient of the
// widths.
std::string view_problem(const ViewType& from, const ViewType& to);
// Type and extents of a slice of memory; none where the run alone knows them.
std::optional<ViewType> type_of_slice(const Program& program, const Slice& slice);

}  // namespace tessera
