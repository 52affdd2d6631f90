#include "python/module/arrays.h"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace tessera::python {
namespace {

template <typename Bits>
nb::object bits_of(Tensor tensor) {
  const auto owned = new Tensor(std::move(tensor));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Tensor*>(p); });
  const std::vector<std::size_t> shape(owned->shape().begin(), owned->shape().end());
  return nb::cast(nb::ndarray<nb::numpy, Bits>(owned->data(), shape.size(), shape.data(), owner));
}

}  // namespace

HeldTensor held(AnyArray array, const std::string& dtype) {
  const std::optional<DType> type = parse_dtype(dtype);
  if (!type || static_cast<std::size_t>(size_of(*type)) != array.itemsize())
    throw std::invalid_argument("an array of " + dtype + " has elements of another size");
  HeldTensor tensor{*type, {}, {}, {}};
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) {
    tensor.shape.push_back(static_cast<std::int64_t>(array.shape(axis)));
    tensor.strides.push_back(array.stride(axis) * size_of(*type));
  }
  const auto first = static_cast<const std::byte*>(array.data());
  tensor.first = {first, [array = std::move(array)](const std::byte*) mutable {
                    const nb::gil_scoped_acquire lock;
                    array = {};
                  }};
  return tensor;
}

nb::object array_of(Tensor tensor) {
  switch (size_of(tensor.dtype())) {
    case 1:
      return bits_of<std::uint8_t>(std::move(tensor));
    case 2:
      return bits_of<std::uint16_t>(std::move(tensor));
    case 4:
      return bits_of<std::uint32_t>(std::move(tensor));
    default:
      return bits_of<std::uint64_t>(std::move(tensor));
  }
}

}  // namespace tessera::python
