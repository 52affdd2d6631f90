#include "core/data/tensor_file.h"

#include <fmt/format.h>

#include "core/data/held_files.h"
#include "core/data/npy.h"
#include "core/data/npy_header.h"
#include "core/data/safetensors.h"
#include "core/report/try.h"

namespace tessera {
namespace {

// File, and the name of the tensor in a file with several tensors.
struct TensorPlace {
  std::string path;
  std::optional<std::string> tensor;
};

Expected<TensorPlace> parse_place(std::string_view spec) {
  constexpr std::string_view separator = ".safetensors#";
  const auto found = spec.find(separator);
  if (found != std::string_view::npos && found + separator.size() < spec.size()) {
    const auto hash = found + separator.size() - 1;
    return TensorPlace{std::string(spec.substr(0, hash)), std::string(spec.substr(hash + 1))};
  }
  if (spec.ends_with(".npy")) return TensorPlace{std::string(spec), std::nullopt};
  const bool lacks_name = spec.ends_with(".safetensors") || spec.ends_with(separator);
  return error(
      lacks_name
          ? fmt::format("{} names no tensor: expected FILE.safetensors#TENSOR", spec)
          : fmt::format("{} is not a tensor file: expected FILE.npy or FILE.safetensors#TENSOR",
                        spec));
}

}  // namespace

Expected<Tensor> load_tensor(std::string_view spec, std::optional<DType> declared, Files* files) {
  if (is_held_name(spec, files)) return TRY(held_tensor(spec, *files, declared))->load();
  const TensorPlace place = TRY(parse_place(spec));
  if (place.tensor) return read_safetensors(place.path, *place.tensor, declared, files);
  return read_npy(place.path, declared, files);
}

Expected<TensorHeader> read_tensor_header(std::string_view spec, Files* files) {
  if (is_held_name(spec, files)) {
    const HeldTensor& tensor = *TRY(held_tensor(spec, *files));
    return TensorHeader{tensor.dtype, tensor.shape};
  }
  const TensorPlace place = TRY(parse_place(spec));
  if (!place.tensor) {
    NpyHeader header = TRY(read_npy_header(place.path, files));
    const Expected<DType> dtype = npy_dtype(header.descr, std::nullopt);
    return TensorHeader{dtype ? std::optional(*dtype) : std::nullopt, std::move(header.shape)};
  }
  const std::vector<TensorEntry> tensors = TRY(list_safetensors(place.path, files));
  for (const TensorEntry& entry : tensors)
    if (entry.name == *place.tensor) return TensorHeader{entry.dtype, entry.shape};
  return error(fmt::format("{}: no tensor {}", place.path, shown_name(*place.tensor)));
}

Expected<void> save_tensor(std::string_view spec, const Tensor& tensor) {
  TensorOutput output = TRY(TensorOutput::open(spec));
  return output.write(tensor);
}

Expected<TensorOutput> TensorOutput::open(std::string_view spec, Files* files) {
  if (is_held_name(spec, files)) return TensorOutput(std::nullopt, std::string(spec), files->held);
  const TensorPlace place = TRY(parse_place(spec));
  if (place.tensor) TRY(check_addition(place.path, *place.tensor));
  return TensorOutput(TRY(OutputFile::create(place.path, files)), place.tensor);
}

Expected<void> TensorOutput::write(const Tensor& tensor) {
  if (!file_) {
    held_->written.insert_or_assign(*tensor_, tensor.clone());
    return {};
  }
  if (tensor_) return add_to_safetensors(*file_, {*tensor_, &tensor});
  return write_npy(*file_, tensor);
}

}  // namespace tessera
