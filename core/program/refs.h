// Queries about refs (buffers, windows and views: element type, space, extents), slices and op
// operands.
#pragma once
#include <optional>
#include <vector>

#include "core/program/program.h"

namespace tessera {

// Properties of a ref.
struct RefInfo {
  DType dtype = DType::f32;
  Space space = Space::hbm;     // vmem for a window on hbm; else the space of its source
  Shape bound;                  // static extents; the bound of a dynamic extent
  std::vector<ValueId> extent;  // no_value: `bound` is exact
  ValueId root = no_value;      // ref value of the buffer
};

// Returns element type, space and extents of a ref value. `ref` must be one (CHECK).
RefInfo ref_info(const Program& program, ValueId ref);
// Type after `as` in a view: "u32[8, 128]".
struct ViewType {
  DType dtype = DType::f32;
  Shape shape;
};
std::string to_string(const ViewType& type);
// Returns the type of a ViewAs of the program, parsed from its text, which must be valid (CHECK).
ViewType view_type(const Program& program, const ViewAs& op);
// Returns the source slice of a View or ViewAs, as a pointer into `op`; null for other ops.
const Slice* viewed_slice(const Op& op);
// True for `reshape`, `bitcast` and `every`: dst gets the elements of src, their bits, or every
// n-th of them, in the same row-major order. False for `transpose`, which permutes dimensions.
bool keeps_elements(const Op& op);
// Returns the dimensions of the slice that are not dropped, ascending.
std::vector<int> kept(const Slice& slice);
// Returns the max extents of the dimensions that are not dropped: static_bound() of their sizes,
// but at most the bound of the ref. Empty for a number. The slice must not be of a semaphore.
Shape static_shape(const Program& program, const Slice& slice);
// Returns an upper bound of a scalar, if its expression of constants, `max` bounds, `min`, `max`
// and `select` has one; none: no bound is known.
std::optional<std::int64_t> static_bound(const Program& program, ValueId scalar);
// True if sums, differences and products of the scalar's expression show that it is a multiple of
// the factor (not 0) for all values of its variables, unless the arithmetic wraps. False: not
// known, or a constant that is no multiple.
bool is_multiple(const Program& program, ValueId scalar, std::int64_t factor);
// True if the slice is known to cover its whole ref, with no dimension dropped. False for a number.
// The slice must not be of a semaphore.
bool is_whole(const Program& program, const Slice& slice);
// Returns the slice that an op writes, as a pointer into `op`: when it runs, or later by its copy
// if it is a local `start`. Null for other ops, including remote starts and write-backs.
const Slice* written_slice(const Op& op);
// True if the base of the slice is a number, not memory.
bool is_number(const Program& program, const Slice& slice);
// True if a run without arithmetic skips the op (column `math` of ops.def). The op then writes no
// values, but definedness is still reported.
bool is_left_out(const Program& program, const Op& op);
// True if the field's value (for a slice: its contents) decides the actions of the run or can stop
// it (column `control`). is_choice_open: some elements that the op chooses from are undefined.
bool is_control(const Program& program, const Op& op, const FieldInfo& f, bool is_choice_open);

}  // namespace tessera
