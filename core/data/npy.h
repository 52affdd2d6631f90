// NumPy's .npy files, versions 1 to 3: one array per file.
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

// Returns the array as a tensor in row-major order; an array in Fortran order is transposed.
// Fails with ErrorCode::environment if the file cannot be opened or read. Fails if it is malformed
// or incomplete, if its version or type is not supported, or if `declared` does not fit.
// declared: required for bf16, FP8 and e8m0, which .npy files contain as raw bytes; for other
// arrays it may be none, otherwise it must be the type of the file.
// read: records the file; may be null.
Expected<Tensor> read_npy(const std::string& path, std::optional<DType> declared = std::nullopt,
                          ReadFiles* read = nullptr);
// Returns shape and element type without reading the elements. Fails like read_npy, except that the
// element type and the number of bytes are not checked.
Expected<NpyHeader> read_npy_header(const std::string& path, ReadFiles* read = nullptr);
// Writes version 1.0 in C order. The file is replaced atomically. Fails with ErrorCode::environment
// if it cannot be written, and with ErrorCode::invalid_value if it is in `read` or the tensor has
// more than largest_file_rank dimensions. Throws if a deferred tensor cannot be made.
// read: files that must not be replaced; may be null.
Expected<void> write_npy(const std::string& path, const Tensor& tensor,
                         const ReadFiles* read = nullptr);
// Like write_npy(file.path(), tensor), but writes to `file` and commits it. `file` must be new:
// without any append() or commit().
Expected<void> write_npy(OutputFile& file, const Tensor& tensor);

}  // namespace tessera
