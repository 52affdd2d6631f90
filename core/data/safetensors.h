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

struct NamedTensor {
  std::string name;
  const Tensor* tensor = nullptr;
};

// What is in the file, by place; checked as a whole before any tensor is read.
Expected<std::vector<TensorEntry>> list_safetensors(const std::string& path);
// A declared type that is not the file's is an error.
Expected<Tensor> read_safetensors(const std::string& path, const std::string& name,
                                  std::optional<DType> declared = std::nullopt);
// Replaces the file as a whole or not at all.
[[nodiscard]] Diags write_safetensors(const std::string& path,
                                      std::span<const NamedTensor> tensors);
// Adds the tensor to the file or replaces the one of its name; all else, metadata too, stays. A
// missing file is made.
[[nodiscard]] Diags add_to_safetensors(const std::string& path, const NamedTensor& tensor);
// The same into a file that was opened for it.
[[nodiscard]] Diags add_to_safetensors(OutputFile& file, const NamedTensor& tensor);
// What would keep a tensor of that name from being added.
[[nodiscard]] Diags check_addition(const std::string& path, const std::string& name);

}  // namespace tessera
