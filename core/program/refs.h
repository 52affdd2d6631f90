// What a ref is: the element type, the space and the extents of a buffer, a window or a view.
#pragma once
#include <optional>
#include <vector>

#include "core/program/program.h"

namespace tessera {

struct RefInfo {
  DType dtype = DType::f32;
  Space space = Space::hbm;     // a window on hbm is in vmem; on anything else it is a view of it
  Shape bound;                  // static extents; of a dynamic size its bound
  std::vector<ValueId> extent;  // no_value for a buffer's dimension: `bound` is exact
  ValueId root = no_value;      // the buffer's own ref value
};

// `ref` must be a ref value.
RefInfo ref_info(const Program& program, ValueId ref);
// What is written behind `as`: "u32[8, 128]".
struct ViewType {
  DType dtype = DType::f32;
  Shape shape;
};
std::string to_string(const ViewType& type);
// Of a ViewAs of the program; its text was made by to_string.
ViewType view_type(const Program& program, const ViewAs& op);
// The memory that a view shows; null for other ops.
const Slice* viewed_slice(const Op& op);
// An op on tiles that computes nothing: elements, or their bits, in another order or shape.
bool keeps_elements(const Op& op);
// The dimensions that a slice keeps, ascending.
std::vector<int> kept(const Slice& slice);
// The largest extents that a slice's kept dimensions can have: constant sizes, bounds of `max`,
// else the ref's.
Shape static_shape(const Program& program, const Slice& slice);
// The largest value of a scalar, where the program says it: constants and `max`.
std::optional<std::int64_t> static_bound(const Program& program, ValueId scalar);
// Whether the scalar is a multiple of the factor by the form of its sums and products, whatever the
// numbers in them are.
bool is_multiple(const Program& program, ValueId scalar, std::int64_t factor);
// The slice is the whole of its ref, nothing dropped.
bool is_whole(const Program& program, const Slice& slice);
// The slice that an op writes when it runs (not what its copy writes later), or null.
const Slice* written_slice(const Op& op);
// A slice whose base is a number, not memory.
bool is_number(const Program& program, const Slice& slice);
// What a run without arithmetic leaves out (the column `math` of ops.def): such an op writes no
// values, but what is defined is told as ever.
bool is_left_out(const Program& program, const Op& op);
// Whether the field's value, of a slice its contents, decides what is done or can stop the run (the
// column `control`). is_choice_open: the op met undefined elements among those it chooses from.
bool is_control(const Program& program, const Op& op, const FieldInfo& f, bool is_choice_open);

}  // namespace tessera
