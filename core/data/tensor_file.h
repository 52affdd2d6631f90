// Tensors by the name of their file: FILE.npy, or FILE.safetensors#TENSOR; or of memory, <NAME>,
// if the files of a command hold it (core/data/held_files.h).
#pragma once  // public
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/data/tensor.h"
#include "core/host/output_file.h"
#include "core/report/expected.h"

namespace tessera {

struct Files;
struct HeldFiles;

// The tensor that `spec` names. A file that cannot be opened is ErrorCode::environment; other
// errors are a `spec` of another form, a file that is not whole, and a declared type that is not
// the file's. Raw bytes in an .npy file, as bf16 and FP8 are written, need a declared type.
// files: those of a command; null: the file is on the disk.
Expected<Tensor> load_tensor(std::string_view spec, std::optional<DType> declared = std::nullopt,
                             Files* files = nullptr);
// What a file says of a tensor without its elements.
struct TensorHeader {
  std::optional<DType> dtype;  // none where the file does not name one: raw bytes in .npy
  Shape shape;                 // extents, outermost first
};
// Errors are those of load_tensor.
Expected<TensorHeader> read_tensor_header(std::string_view spec, Files* files = nullptr);
// Writes the tensor; it joins those of an existing .safetensors file. No file is ever half written;
// an error says why it was not written.
Expected<void> save_tensor(std::string_view spec, const Tensor& tensor);

// A file that will hold a tensor. It is opened before the tensor is computed, so that a path that
// cannot be written is an error before the work and not after it.
class TensorOutput {
 public:
  // The file is made when write() succeeds; until then nothing at `spec` changes.
  // files: as in load_tensor(); a tensor in memory is written to those that they hold.
  static Expected<TensorOutput> open(std::string_view spec, Files* files = nullptr);
  // Writes the file; at most once. An error says why it was not written.
  Expected<void> write(const Tensor& tensor);

 private:
  TensorOutput(std::optional<OutputFile> file, std::optional<std::string> tensor,
               HeldFiles* held = nullptr)
      : file_(std::move(file)), tensor_(std::move(tensor)), held_(held) {}

  std::optional<OutputFile> file_;     // none: it is held in memory
  std::optional<std::string> tensor_;  // its name, in a .safetensors file or in memory
  HeldFiles* held_;                    // null: it is a file
};

}  // namespace tessera
