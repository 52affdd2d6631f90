#include "interp/memory/byte_image.h"

#include <algorithm>
#include <cstring>

namespace tessera {
namespace {

constexpr std::int64_t block_bytes = 16 << 10;

bool is_zero(const std::byte* data, std::int64_t size) {
  const auto n = static_cast<std::size_t>(size);
  return data[0] == std::byte{0} && std::memcmp(data, data + 1, n - 1) == 0;
}

}  // namespace

struct ByteImage::Block {
  Block(const std::byte* data, std::int64_t size, const HeldBytes& held)
      : bytes(data, data + size), share(held, size) {}
  std::vector<std::byte> bytes;
  HeldBytes::Share share;
};

std::int64_t ByteImage::length(std::size_t block) const {
  return std::min(block_bytes, size_ - static_cast<std::int64_t>(block) * block_bytes);
}

bool ByteImage::shares(const ByteImage* other, std::size_t block) const {
  return other != nullptr && other->size_ == size_ && other->blocks_[block] == blocks_[block];
}

ByteImage::ByteImage(const std::byte* data, std::int64_t size, const ByteImage* before,
                     const HeldBytes& held)
    : size_(size), blocks_(static_cast<std::size_t>((size + block_bytes - 1) / block_bytes)) {
  const bool is_like = before != nullptr && before->size_ == size;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::byte* from = data + static_cast<std::int64_t>(b) * block_bytes;
    const std::int64_t n = length(b);
    const auto known = is_like ? before->blocks_[b] : nullptr;
    if (known != nullptr &&
        std::memcmp(known->bytes.data(), from, static_cast<std::size_t>(n)) == 0)
      blocks_[b] = known;
    else if (!is_zero(from, n))
      blocks_[b] = std::make_shared<const Block>(from, n, held);
  }
}

void ByteImage::put(std::byte* data, const ByteImage* now) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (shares(now, b)) continue;
    std::byte* to = data + static_cast<std::int64_t>(b) * block_bytes;
    const auto n = static_cast<std::size_t>(length(b));
    if (blocks_[b] == nullptr)
      std::memset(to, 0, n);
    else
      std::memcpy(to, blocks_[b]->bytes.data(), n);
  }
}

}  // namespace tessera
