#include "core/data/held_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/host/host_memory.h"

namespace tessera {
namespace {

thread_local HeldFiles* of_this_thread = nullptr;

// Copies the elements below one index of the axes before `axis`; rows without gaps as one piece.
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

HeldFilesScope::HeldFilesScope(HeldFiles& files) : before_(std::exchange(of_this_thread, &files)) {}

HeldFilesScope::~HeldFilesScope() { of_this_thread = before_; }

HeldFiles* held_files() { return of_this_thread; }

bool is_held_name(std::string_view name) {
  return of_this_thread != nullptr && name.starts_with('<') && name.ends_with('>');
}

Expected<const HeldTensor*> held_tensor(std::string_view name, std::optional<DType> declared) {
  const auto found = of_this_thread->tensors.find(name);
  if (found == of_this_thread->tensors.end())
    return error(fmt::format("{}: no array of that name was given", name));
  if (declared && *declared != found->second.dtype)
    return error(fmt::format("{} holds {}, not {}", name, tessera::name(found->second.dtype),
                             tessera::name(*declared)));
  return &found->second;
}

const std::string* held_text(std::string_view name) {
  if (of_this_thread == nullptr) return nullptr;
  const auto found = of_this_thread->texts.find(name);
  return found == of_this_thread->texts.end() ? nullptr : &found->second;
}

}  // namespace tessera
