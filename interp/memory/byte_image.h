// Saved bytes. Images of one memory share equal blocks, and a block of zeros takes no memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tessera {

// Counts the bytes held by all images that were created with this object. Copies share the count.
class HeldBytes {
 public:
  HeldBytes() : count_(std::make_shared<std::int64_t>(0)) {}
  std::int64_t count() const { return *count_; }

  // Adds `bytes` to the count during its lifetime.
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
  // Saves `size` bytes. before: an earlier image of the same memory to share equal blocks with; may
  // be null, and is ignored if its size differs. held: counts the bytes of the other blocks.
  ByteImage(const std::byte* data, std::int64_t size, const ByteImage* before,
            const HeldBytes& held);
  // Writes the bytes to memory of the saved size. now: the known current contents, whose shared
  // blocks are not written again; null: unknown.
  void put(std::byte* data, const ByteImage* now = nullptr) const;

 private:
  struct Block;
  std::int64_t length(std::size_t block) const;
  bool shares(const ByteImage* other, std::size_t block) const;

  std::int64_t size_ = 0;
  std::vector<std::shared_ptr<const Block>> blocks_;  // null: zeros
};

}  // namespace tessera
