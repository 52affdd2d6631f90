// Bit set with one bit per element of a storage, in storage order. The number of set bits is always
// known: most planes are uniform most of the time, and then need no words. For other planes, the
// longest run of set bits found so far is cached, so that a buffer that fills from one end is not
// rescanned at each step.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "interp/memory/byte_image.h"

namespace tessera {

class BitPlane {
 public:
  explicit BitPlane(std::int64_t bits = 0) : bits_(bits) {}

  BitPlane copy() const;
  // Saved state of a plane; restore() replaces the whole plane. before: an earlier image to share
  // unchanged blocks with; may be null.
  struct Image {
    std::int64_t bits = 0, count = 0, run_begin = 0, run_end = 0;
    bool value = false, has_words = false;
    ByteImage words{};
  };
  Image save(const Image* before, const HeldBytes& held) const;
  void restore(const Image& image);
  std::int64_t bits() const { return bits_; }
  void fill(bool value);  // every bit; frees the words
  bool is_clear() const { return count_ == 0; }
  bool is_set() const { return count_ == bits_; }

  bool get(std::int64_t i) const {
    return words_ == nullptr ? value_
                             : (words_[static_cast<std::size_t>(i >> 6)] >> (i & 63) & 1) != 0;
  }
  void set(std::int64_t begin, std::int64_t length) { assign(begin, length, true); }
  void clear(std::int64_t begin, std::int64_t length) { assign(begin, length, false); }
  void put(std::int64_t i, bool value) { assign(i, 1, value); }
  // True if all bits of the range are set.
  bool all(std::int64_t begin, std::int64_t length) const;
  // Calls f(begin, length) for the maximal runs of `value` in the range, in ascending order.
  template <typename F>
  void for_each(std::int64_t begin, std::int64_t length, bool value, F&& f) const {
    const std::int64_t end = begin + length;
    for (std::int64_t i = find(begin, length, value); i >= 0; i = find(i, end - i, value)) {
      const std::int64_t stop = find(i, end - i, !value);
      f(i, (stop < 0 ? end : stop) - i);
      if (stop < 0) return;
      i = stop;
    }
  }
  // True if a bit of the range is set.
  bool any(std::int64_t begin, std::int64_t length) const;
  // Returns the first bit with that value in the range, or -1.
  std::int64_t find(std::int64_t begin, std::int64_t length, bool value) const;
  std::int64_t count() const { return count_; }  // set bits

  // Allocates the words of a uniform plane, so that words() is not null.
  void spread();
  // Bit i of the plane is bit i % 64 of word i / 64. May be null if all bits are equal. Valid until
  // all bits are set or cleared, or restore().
  const std::uint64_t* words() const { return words_.get(); }

 private:
  std::size_t word_count() const;
  void assign(std::int64_t begin, std::int64_t length, bool value);
  // Returns the number of bits that changed.
  std::int64_t write(std::int64_t begin, std::int64_t length, bool value);
  bool is_in_run(std::int64_t begin, std::int64_t end) const {
    return run_begin_ <= begin && end <= run_end_;
  }
  void extend_run(std::int64_t begin, std::int64_t end);
  void cut_run(std::int64_t begin, std::int64_t end);

  std::int64_t bits_, count_ = 0;
  std::int64_t run_begin_ = 0, run_end_ = 0;  // all bits in [run_begin_, run_end_) are set
  bool value_ = false;                        // value of every bit while words_ is null
  std::unique_ptr<std::uint64_t[]> words_;
};

}  // namespace tessera
