// Code for single elements of tiles: the arithmetic of the general kernel, of task graphs and of
// epilogues.
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
  bool is_whole() const { return is_integer(dtype); }  // true if computed with as an integer
};
using ElementTypes = std::vector<ElementType>;  // slices of the op, result first

// Returns the code for a source's element: an i64 if `whole`, else a float. source: index of the
// slice, from 1.
using ReadElement = std::function<std::string(std::size_t source, bool whole)>;

// Returns the code for an elementwise op: an i64 if all sources (of a select: its two values) are
// integers and the op has an integer form, else a float. nullopt if the op is not elementwise.
std::optional<std::string> element_code(const Op& op, const ElementTypes& types,
                                        const ReadElement& read);
// Like element_code, with floats for all sources, for epilogues. nullopt also for elementwise ops
// that have no form for floats. read: returns the code for a slice's element.
std::optional<std::string> float_code(const Op& op,
                                      const std::function<std::string(const Slice&)>& read);

// Code of a reduction. The variable `sum` of `type` starts with `begin` and is assigned `next` for
// each element; `result` is stored.
struct FoldCode {
  std::string type, begin, next, result;
};
// Returns the code of a reduction op. to, from: types of the result and the source. length: code
// for the number of elements. value: code for an element, an i64 if `from` is an integer, else a
// float.
FoldCode fold_code(const Op& op, DType to, DType from, const std::string& length,
                   const std::string& value);

// Name of the type's struct in templates/elements.cuh, for example "type::bf16".
std::string type_text(DType dtype);
// Returns the bytes of a tile in global memory, rounded up to whole cache lines of a warp (256).
std::int64_t whole_lines(std::int64_t bytes);

}  // namespace tessera::cuda
