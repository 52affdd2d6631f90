// The text at the front of an .npy file: a Python dict that gives element type, order and shape.
#pragma once  // public
#include <optional>
#include <string>
#include <string_view>

#include "core/data/dtype.h"
#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

struct NpyHeader {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  Shape shape;
};

Expected<NpyHeader> parse_npy_header(std::string_view dict);
std::string print_npy_header(DType dtype, const Shape& shape);

// The element type of `descr`. Void elements have the type that is declared; for the others it must
// agree.
Expected<DType> npy_dtype(std::string_view descr, std::optional<DType> declared);

}  // namespace tessera
