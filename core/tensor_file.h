// Tensors by the name of their file: FILE.npy, or FILE.safetensors#TENSOR.
#pragma once
#include <optional>
#include <string_view>

#include "core/expected.h"
#include "core/tensor.h"

namespace tessera {

// A file that cannot be opened is an error of the environment; all else that is wrong is invalid or
// unsupported.
Expected<Tensor> load_tensor(std::string_view spec, std::optional<DType> declared = std::nullopt);
// The tensor joins those of an existing .safetensors file. No file is ever half written.
[[nodiscard]] Diags save_tensor(std::string_view spec, const Tensor& tensor);

}  // namespace tessera
