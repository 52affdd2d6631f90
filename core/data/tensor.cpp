#include "core/data/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/data/convert.h"
#include "core/host/host_memory.h"
#include "core/report/check.h"
#include "core/report/guarded.h"
#include "core/report/invalid_value.h"

namespace tessera {
namespace {

constexpr std::size_t tensor_alignment = 64;

bool is_negative(std::int64_t extent) { return extent < 0; }

// Returns the product of the dimensions times `size`; 0 if any dimension is 0, even if the others
// overflow.
std::optional<std::int64_t> checked_product(const Shape& shape, std::int64_t size) {
  if (std::any_of(shape.begin(), shape.end(), is_negative)) return std::nullopt;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::int64_t product = size;
  for (const std::int64_t dim : shape) {
    if (__builtin_mul_overflow(product, dim, &product)) return std::nullopt;
  }
  return product;
}

// Returns the product of the extents times `size`. Every shape of a Tensor is checked here.
std::int64_t product(const Shape& shape, std::int64_t size) {
  if (const auto found = checked_product(shape, size)) return *found;
  const bool has_negative = std::any_of(shape.begin(), shape.end(), is_negative);
  throw InvalidValue(fmt::format(
      "expected {}, found shape {}",
      has_negative ? "extents of at least 0"
                   : fmt::format("fewer than 2^63 {}", size == 1 ? "elements" : "bytes"),
      to_string(shape)));
}

// The block from malloc begins before the aligned bytes. calloc does not touch fresh pages, so a
// large zero tensor uses memory only where it is written.
std::byte* aligned_bytes(std::size_t bytes, bool zero) {
  const std::size_t room = bytes + tensor_alignment + sizeof(void*);
  void* block = zero ? std::calloc(room, 1) : std::malloc(room);
  if (block == nullptr) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(block) + sizeof(void*);
  const auto skip = (address + tensor_alignment - 1) / tensor_alignment * tensor_alignment -
                    address + sizeof(void*);
  std::byte* data = static_cast<std::byte*>(block) + skip;
  std::memcpy(data - sizeof block, &block, sizeof block);
  prefer_large_pages(data, bytes);  // tiles of a wide matrix touch a page for each row
  return data;
}

}  // namespace

std::int64_t elements(const Shape& shape) { return product(shape, 1); }

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (const std::int64_t dim : shape) {
    text += fmt::format("{}{}", text.size() > 1 ? ", " : "", dim);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::optional<std::int64_t> checked_bytes(DType dtype, const Shape& shape) {
  return checked_product(shape, size_of(dtype));
}

void Tensor::Free::operator()(std::byte* p) const {
  if (p == nullptr) return;
  void* block = nullptr;
  std::memcpy(&block, p - sizeof block, sizeof block);
  std::free(block);
}

Tensor::Tensor(DType dtype, Shape shape, Fill fill) : dtype_(dtype), shape_(std::move(shape)) {
  const std::int64_t bytes = product(shape_, size_of(dtype_));
  data_.reset(aligned_bytes(static_cast<std::size_t>(bytes), fill == Fill::zero));
  if (data_ == nullptr)
    throw NoMemory(fmt::format("a tensor {}{}", name(dtype_), to_string(shape_)), bytes);
}

Tensor::Tensor(DType dtype, Shape shape) : Tensor(dtype, std::move(shape), Fill::zero) {}

Tensor Tensor::uninitialised(DType dtype, Shape shape) {
  return {dtype, std::move(shape), Fill::none};
}

Tensor Tensor::deferred(DType dtype, Shape shape, std::function<Tensor()> make) {
  product(shape, size_of(dtype));
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.maker_ = std::make_unique<Maker>();
  tensor.maker_->make = std::move(make);
  return tensor;
}

void Tensor::make() const {
  std::call_once(maker_->once, [&] {
    Tensor made = maker_->make();
    CHECK(made.dtype_ == dtype_ && made.shape_ == shape_);
    made.data();
    data_ = std::move(made.data_);
  });
}

Expected<Tensor> Tensor::allocate(DType dtype, Shape shape) try {
  return Tensor(dtype, std::move(shape), Fill::zero);
} catch (...) {
  return given_up("making a tensor");
}

Tensor Tensor::clone() const {
  if (data() == nullptr) return {};
  Tensor copy = uninitialised(dtype_, shape_);
  if (bytes() > 0) std::memcpy(copy.data(), data(), static_cast<std::size_t>(bytes()));
  return copy;
}

double Tensor::at(std::int64_t i) const {
  CHECK(i >= 0 && i < elements());
  return load_element(data() + i * size_of(dtype_), dtype_);
}

void Tensor::set(std::int64_t i, double value) {
  CHECK(i >= 0 && i < elements());
  store_element(data() + i * size_of(dtype_), dtype_, value);
}

}  // namespace tessera
