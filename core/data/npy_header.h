// The text at the front of an .npy file: a Python dict that gives element type, order and shape.
#pragma once  // public
#include <optional>
#include <string>
#include <string_view>

#include "core/data/dtype.h"
#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

// What the dict says.
struct NpyHeader {
  std::string descr;           // element type as NumPy writes it: "<f4"
  bool fortran_order = false;  // the first index runs fastest in the file
  Shape shape;                 // extents, outermost first
};

// Refuses text that is no such dict, extents below 0, and keys that are missing, unknown or twice.
Expected<NpyHeader> parse_npy_header(std::string_view dict);
// The dict of an array in C order, without padding.
std::string print_npy_header(DType dtype, const Shape& shape);

// The element type of `descr`. Raw bytes ("|V1", "|V2") are of the declared type, which must be
// there and have that size; with any other `descr` a declared type must agree.
Expected<DType> npy_dtype(std::string_view descr, std::optional<DType> declared);

}  // namespace tessera
