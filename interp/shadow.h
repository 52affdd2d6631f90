// One bit per element of a storage, in storage order. A plane that is all clear or all set has no
// words.
#pragma once
#include <cstdint>
#include <memory>

namespace tessera {

class BitPlane {
 public:
  explicit BitPlane(std::int64_t bits = 0) : bits_(bits) {}

  std::int64_t bits() const { return bits_; }
  void fill(bool value);  // every bit; frees the words
  bool is_clear() const { return words_ == nullptr && !value_; }
  bool is_set() const { return words_ == nullptr && value_; }

  bool get(std::int64_t i) const {
    return words_ == nullptr ? value_
                             : (words_[static_cast<std::size_t>(i >> 6)] >> (i & 63) & 1) != 0;
  }
  void set(std::int64_t begin, std::int64_t length) { assign(begin, length, true); }
  void clear(std::int64_t begin, std::int64_t length) { assign(begin, length, false); }
  void put(std::int64_t i, bool value) { assign(i, 1, value); }
  bool all(std::int64_t begin, std::int64_t length) const;
  bool any(std::int64_t begin, std::int64_t length) const;
  // The first bit of the range with that value, or -1.
  std::int64_t find(std::int64_t begin, std::int64_t length, bool value) const;
  std::int64_t count() const;  // bits that are set

  // The words, bit i of the plane at word i / 64; null while uniform.
  const std::uint64_t* words() const { return words_.get(); }

 private:
  void assign(std::int64_t begin, std::int64_t length, bool value);

  std::int64_t bits_;
  bool value_ = false;  // of every bit while there are no words
  std::unique_ptr<std::uint64_t[]> words_;
};

}  // namespace tessera
