// .safetensors files: named tensors; the file contains their types.
#pragma once  // public
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/data/safetensors_header.h"
#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

class OutputFile;
class ReadFiles;

// Tensor to write, with its name.
struct NamedTensor {
  std::string name;                // UTF-8, unique in its file, not "__metadata__"
  const Tensor* tensor = nullptr;  // not owned, not null
};

// Returns the tensors of the file in the order of their data. The header is checked before any
// tensor is read. Fails with ErrorCode::environment if the file cannot be opened or read; fails if
// the header is incomplete, malformed or larger than 100 MB.
// read: records the file; may be null.
Expected<std::vector<TensorEntry>> list_safetensors(const std::string& path,
                                                    ReadFiles* read = nullptr);
// Returns one tensor of the file. Fails like list_safetensors, and also if the name is not in the
// file, if a declared type is not the type of the file, with ErrorCode::unsupported if the type is
// not supported, and with ErrorCode::environment if there is not enough memory.
Expected<Tensor> read_safetensors(const std::string& path, const std::string& name,
                                  std::optional<DType> declared = std::nullopt,
                                  ReadFiles* read = nullptr);
// Writes the tensors, those with larger elements first. The file is replaced atomically. Fails if
// it cannot be written, if a name is invalid or not unique, or if a tensor has more than
// largest_file_rank dimensions. Throws if a deferred tensor cannot be made.
Expected<void> write_safetensors(const std::string& path, std::span<const NamedTensor> tensors);
// Adds the tensor to the file, or replaces the tensor with its name. Other tensors and the metadata
// are kept. A missing file is created. The file is replaced atomically. Fails like
// write_safetensors(), and if the existing file is malformed or cannot be read.
Expected<void> add_to_safetensors(const std::string& path, const NamedTensor& tensor);
// Like add_to_safetensors(file.path(), tensor), but writes to `file` and commits it. `file` must be
// new: without any append() or commit().
Expected<void> add_to_safetensors(OutputFile& file, const NamedTensor& tensor);
// Fails if add_to_safetensors() could not add a tensor with this name: the name is invalid, or an
// existing file is malformed or cannot be read. The file is not recorded as read by the command.
Expected<void> check_addition(const std::string& path, const std::string& name);

}  // namespace tessera
