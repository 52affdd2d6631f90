// Tensors by the name of their file: FILE.npy, or FILE.safetensors#TENSOR.
#pragma once  // public
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/data/tensor.h"
#include "core/host/output_file.h"
#include "core/report/expected.h"

namespace tessera {

// A file that cannot be opened is an error of the environment; all else that is wrong is invalid or
// unsupported.
Expected<Tensor> load_tensor(std::string_view spec, std::optional<DType> declared = std::nullopt);
// What a file says of a tensor without its elements; no type where the file does not name one.
struct TensorHeader {
  std::optional<DType> dtype;
  Shape shape;
};
Expected<TensorHeader> read_tensor_header(std::string_view spec);
// The tensor joins those of an existing .safetensors file. No file is ever half written.
[[nodiscard]] Diags save_tensor(std::string_view spec, const Tensor& tensor);

// A file that will hold a tensor: opened before the tensor is computed, so that what keeps it from
// being written is told before.
class TensorOutput {
 public:
  static Expected<TensorOutput> open(std::string_view spec);
  // Once.
  [[nodiscard]] Diags write(const Tensor& tensor);

 private:
  TensorOutput(OutputFile file, std::optional<std::string> tensor)
      : file_(std::move(file)), tensor_(std::move(tensor)) {}

  OutputFile file_;
  std::optional<std::string> tensor_;  // its name, in a .safetensors file
};

}  // namespace tessera
