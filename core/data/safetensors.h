// .safetensors files: named tensors, whose types the file states.
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

// What is to be written, and under which name.
struct NamedTensor {
  std::string name;                // UTF-8, unique in its file, not "__metadata__"
  const Tensor* tensor = nullptr;  // the caller's; not null
};

// What is in the file, by place. Errors are a file that cannot be opened (ErrorCode::environment)
// and a header that is not whole; it is checked before any tensor is read.
// read: records the file; may be null.
Expected<std::vector<TensorEntry>> list_safetensors(const std::string& path,
                                                    ReadFiles* read = nullptr);
// One tensor of the file. Errors are those of list_safetensors, a name that is not there, a type
// that we do not have, and a declared type that is not the file's.
Expected<Tensor> read_safetensors(const std::string& path, const std::string& name,
                                  std::optional<DType> declared = std::nullopt,
                                  ReadFiles* read = nullptr);
// Writes the tensors in their order. The file is replaced as a whole or not at all; an error
// says why not.
Expected<void> write_safetensors(const std::string& path, std::span<const NamedTensor> tensors);
// Adds the tensor to the file or replaces the one of its name; all else, metadata too, stays. A
// missing file is made.
Expected<void> add_to_safetensors(const std::string& path, const NamedTensor& tensor);
// The same into a file that was opened for it.
Expected<void> add_to_safetensors(OutputFile& file, const NamedTensor& tensor);
// Fails if add_to_safetensors() could not add a tensor of this name. The file does not count as one
// that the command reads.
Expected<void> check_addition(const std::string& path, const std::string& name);

}  // namespace tessera
