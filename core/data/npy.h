// NumPy's .npy files, versions 1 to 3: one array each.
#pragma once  // public
#include <optional>
#include <string>

#include "core/data/dtype.h"
#include "core/data/npy_header.h"
#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

class OutputFile;
class ReadFiles;

// The array as a tensor in row-major order; one in Fortran order is transposed. bf16 and fp8 lie in
// the file as raw bytes, so their type must be declared; a declared type that is not the file's is
// an error.
// read: records the file; may be null.
Expected<Tensor> read_npy(const std::string& path, std::optional<DType> declared = std::nullopt,
                          ReadFiles* read = nullptr);
// Shape and element type without reading the elements. Errors are those of read_npy.
Expected<NpyHeader> read_npy_header(const std::string& path, ReadFiles* read = nullptr);
// Writes version 1.0 in C order. The file is replaced as a whole or not at all; an error
// of the environment says why not.
// read: files that it must not replace; may be null.
Expected<void> write_npy(const std::string& path, const Tensor& tensor,
                         const ReadFiles* read = nullptr);
// The same into a file that was opened for it.
Expected<void> write_npy(OutputFile& file, const Tensor& tensor);

}  // namespace tessera
