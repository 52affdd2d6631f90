// Tensors named by file: FILE.npy or FILE.safetensors#TENSOR; or by a name in memory, <NAME>, if
// the files of a command contain it (core/data/held_files.h).
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

// Returns the tensor named by `spec`. Fails with ErrorCode::environment if the file cannot be
// opened or read. Fails if `spec` has another form, if there is no such tensor, if the file is
// malformed or incomplete, or if its type is not supported or not the declared type. Raw bytes in
// an .npy file (bf16 and FP8) require a declared type. files: the command's files; null: the file
// is on disk.
Expected<Tensor> load_tensor(std::string_view spec, std::optional<DType> declared = std::nullopt,
                             Files* files = nullptr);
// Type and shape of a tensor in a file, without its elements.
struct TensorHeader {
  std::optional<DType> dtype;  // none: raw bytes in .npy, or the type is not supported
  Shape shape;                 // extents, outermost first
};
// Returns the header of the tensor named by `spec`. Fails like load_tensor, except that the element
// type, and the number of bytes in an .npy file, are not checked.
Expected<TensorHeader> read_tensor_header(std::string_view spec, Files* files = nullptr);
// Writes the tensor to the file named by `spec`; it is added to an existing .safetensors file.
// Files are replaced atomically. Fails like TensorOutput::open() and write(). A name in memory is
// not accepted.
Expected<void> save_tensor(std::string_view spec, const Tensor& tensor);

// Output file for a tensor. It is opened before the tensor is computed, so that an error is
// reported before the work and not after it.
class TensorOutput {
 public:
  // Opens the output named by `spec`. Nothing changes there until write() succeeds. Fails if `spec`
  // has another form, if the file cannot be written or was read by the command, if the tensor's
  // name is not valid in a .safetensors file, or if an existing .safetensors file is malformed.
  // files: as in load_tensor(); a tensor in memory is added to their HeldFiles::written.
  static Expected<TensorOutput> open(std::string_view spec, Files* files = nullptr);
  // Writes the file, or stores a copy of the tensor in memory; call it at most once. Fails if the
  // file cannot be written or the tensor has more than largest_file_rank dimensions. Throws
  // NoMemory for a copy in memory, and if a deferred tensor cannot be made.
  Expected<void> write(const Tensor& tensor);

 private:
  TensorOutput(std::optional<OutputFile> file, std::optional<std::string> tensor,
               HeldFiles* held = nullptr)
      : file_(std::move(file)), tensor_(std::move(tensor)), held_(held) {}

  std::optional<OutputFile> file_;     // none: the tensor is stored in memory
  std::optional<std::string> tensor_;  // name in a .safetensors file or in memory
  HeldFiles* held_;                    // null: the tensor is stored in a file
};

}  // namespace tessera
