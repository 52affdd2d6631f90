// Bytes as they were at some time. Images of one memory share the blocks in which they are equal,
// and a block of zeros takes no memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tessera {

// How many bytes the images that were made with it hold together.
class HeldBytes {
 public:
  HeldBytes() : count_(std::make_shared<std::int64_t>(0)) {}
  std::int64_t count() const { return *count_; }

  // So many of them, while it lives.
  class Share {
   public:
    Share(const HeldBytes& all, std::int64_t bytes) : count_(all.count_), bytes_(bytes) {
      *count_ += bytes_;
    }
    ~Share() { *count_ -= bytes_; }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    std::shared_ptr<std::int64_t> count_;
    std::int64_t bytes_;
  };

 private:
  std::shared_ptr<std::int64_t> count_;
};

class ByteImage {
 public:
  ByteImage() = default;
  // before: an image of the same memory that may be like this one; null: there is none.
  ByteImage(const std::byte* data, std::int64_t size, const ByteImage* before,
            const HeldBytes& held);
  // Into memory of that size. now: what is known to be there, so that equal blocks stay; null:
  // anything.
  void put(std::byte* data, const ByteImage* now = nullptr) const;

 private:
  struct Block;
  std::int64_t length(std::size_t block) const;
  bool shares(const ByteImage* other, std::size_t block) const;

  std::int64_t size_ = 0;
  std::vector<std::shared_ptr<const Block>> blocks_;  // null: zeros
};

}  // namespace tessera
