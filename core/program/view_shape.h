// Rules for views with another shape or type.
#pragma once
#include <string>

#include "core/program/refs.h"

namespace tessera {

// Returns the dimension, from 0, along which elements are joined or split between types of
// different widths; none if the widths are equal. Requires types without a view_problem().
std::optional<int> packed_dim(const ViewType& from, const ViewType& to);
// Returns the reason why memory of type `from` cannot be viewed as `to`; empty if it can. If the
// widths are equal, the numbers of elements must be equal. Otherwise exactly one extent must
// differ, by the ratio of the widths, and the ranks must be equal.
std::string view_problem(const ViewType& from, const ViewType& to);
// Returns type and extents, without dropped dimensions, of a slice of memory; none if an extent is
// only known at run time.
std::optional<ViewType> type_of_slice(const Program& program, const Slice& slice);

}  // namespace tessera
