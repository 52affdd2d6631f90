// Single elements of tiles as text of the device: the arithmetic of the general kernel, of task
// graphs and of epilogues.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/data/dtype.h"
#include "core/program/op.h"

namespace tessera::cuda {

// Type of an op's slice. Numbers have f32 or i64.
struct ElementType {
  DType dtype = DType::f32;
  bool is_number = false;
  bool is_whole() const { return is_integer(dtype); }  // computed with as a whole number
};
using ElementTypes = std::vector<ElementType>;  // of the op's slices, the result first

// Returns the text of a source's element, by its place among the slices (from 1): an i64 if
// `whole`, else a float.
using ReadElement = std::function<std::string(std::size_t source, bool whole)>;

// The value of an elementwise op: an i64 if all that it reads are whole numbers, else a float.
// Nothing for an op that is not elementwise.
std::optional<std::string> element_code(const Op& op, const ElementTypes& types,
                                        const ReadElement& read);
// The same with floats for all sources, as epilogues compute.
std::optional<std::string> float_code(const Op& op,
                                      const std::function<std::string(const Slice&)>& read);

// A reduction: the variable `sum` of `type` begins with `begin`, is assigned `next` for each
// element, and `result` is stored.
struct FoldCode {
  std::string type, begin, next, result;
};
// length: text of the number of elements; value: text of an element.
FoldCode fold_code(const Op& op, DType to, DType from, const std::string& length,
                   const std::string& value);

// "type::bf16": the struct of templates/elements.cuh.
std::string type_text(DType dtype);
// Bytes of a tile in global memory, rounded up to whole cache lines of a warp.
std::int64_t whole_lines(std::int64_t bytes);

}  // namespace tessera::cuda
