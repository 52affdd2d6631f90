// Header text of an .npy file: a Python dict with element type, order and shape.
#pragma once  // public
#include <optional>
#include <string>
#include <string_view>

#include "core/data/dtype.h"
#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

// Contents of the dict.
struct NpyHeader {
  std::string descr;           // element type in NumPy's notation: "<f4"
  bool fortran_order = false;  // true: the first index is contiguous in the file
  Shape shape;                 // extents, outermost first
};

// Returns the contents of a dict. Fails if the text is not such a dict, if an extent is negative,
// if there are more than largest_file_rank, if a key is missing, unknown or repeated, or with
// ErrorCode::unsupported if elements are structured.
Expected<NpyHeader> parse_npy_header(std::string_view dict);
// Returns the dict for an array in C order, without padding and newline.
std::string print_npy_header(DType dtype, const Shape& shape);

// Returns the element type for `descr`. Raw bytes ("|V1", "|V2") require a declared type of that
// size. For any other `descr`, a declared type must be the same type. Fails otherwise, with
// ErrorCode::unsupported for big-endian or unknown elements.
Expected<DType> npy_dtype(std::string_view descr, std::optional<DType> declared);

}  // namespace tessera
