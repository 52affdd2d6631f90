#include "core/data/held_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/host/host_memory.h"

namespace tessera {
namespace {

// Copies the elements with a fixed index of the axes before `axis`. A contiguous row is copied at
// once.
void copy_axis(const HeldTensor& from, std::size_t axis, const std::byte* source, std::byte*& to,
               std::int64_t size) {
  if (axis == from.shape.size()) {
    std::memcpy(to, source, static_cast<std::size_t>(size));
    to += size;
    return;
  }
  const std::int64_t extent = from.shape[axis], stride = from.strides[axis];
  if (axis + 1 == from.shape.size() && stride == size) {
    std::memcpy(to, source, static_cast<std::size_t>(extent * size));
    to += extent * size;
    return;
  }
  for (std::int64_t i = 0; i < extent; ++i)
    copy_axis(from, axis + 1, source + i * stride, to, size);
}

bool is_dense(const HeldTensor& tensor) {
  std::int64_t stride = size_of(tensor.dtype);
  for (std::size_t axis = tensor.shape.size(); axis-- > 0; stride *= tensor.shape[axis])
    if (tensor.shape[axis] != 1 && tensor.strides[axis] != stride) return false;
  return true;
}

Tensor copied(const HeldTensor& from) {
  Tensor result = Tensor::uninitialised(from.dtype, from.shape);
  if (result.elements() == 0) return result;
  std::byte* to = result.data();
  if (is_dense(from))
    std::memcpy(to, from.first.get(), static_cast<std::size_t>(result.bytes()));
  else
    copy_axis(from, 0, from.first.get(), to, size_of(from.dtype));
  return result;
}

}  // namespace

Tensor HeldTensor::load() const {
  return Tensor::deferred(dtype, shape, [self = *this] { return copied(self); });
}

bool is_held_name(std::string_view name, const Files* files) {
  return files != nullptr && files->held != nullptr && name.starts_with('<') && name.ends_with('>');
}

Expected<const HeldTensor*> held_tensor(std::string_view name, const Files& files,
                                        std::optional<DType> declared) {
  const auto found = files.held->tensors.find(name);
  if (found == files.held->tensors.end())
    return error(fmt::format("{}: no array of that name was given", name));
  if (declared && *declared != found->second.dtype)
    return error(fmt::format("{} holds {}, not {}", name, tessera::name(found->second.dtype),
                             tessera::name(*declared)));
  return &found->second;
}

const std::string* held_text(std::string_view name, const Files* files) {
  if (files == nullptr || files->held == nullptr) return nullptr;
  const auto found = files->held->texts.find(name);
  return found == files->held->texts.end() ? nullptr : &found->second;
}

}  // namespace tessera
