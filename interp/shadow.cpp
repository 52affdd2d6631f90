#include "interp/shadow.h"

#include <algorithm>
#include <bit>

namespace tessera {
namespace {

constexpr std::uint64_t ones = ~std::uint64_t{0};

// Calls f(word, mask) for the words that [begin, begin + length) touches; stops when f returns
// false.
template <typename F>
void for_each_word(std::int64_t begin, std::int64_t length, F&& f) {
  if (length <= 0) return;
  const std::int64_t last = begin + length - 1;
  const std::int64_t first_word = begin >> 6, last_word = last >> 6;
  for (std::int64_t w = first_word; w <= last_word; ++w) {
    std::uint64_t mask = ones;
    if (w == first_word) mask &= ones << (begin & 63);
    if (w == last_word) mask &= ones >> (63 - (last & 63));
    if (!f(w, mask)) return;
  }
}

}  // namespace

std::size_t BitPlane::word_count() const { return static_cast<std::size_t>((bits_ + 63) >> 6); }

BitPlane BitPlane::copy() const {
  BitPlane other(bits_);
  other.fill(value_);
  if (words_ == nullptr) return other;
  other.words_ = std::make_unique<std::uint64_t[]>(word_count());
  std::copy_n(words_.get(), word_count(), other.words_.get());
  return other;
}

void BitPlane::fill(bool value) {
  words_.reset();
  value_ = value;
}

void BitPlane::spread() {
  if (words_ != nullptr) return;
  words_ = std::make_unique<std::uint64_t[]>(word_count());
  if (value_) std::fill_n(words_.get(), word_count(), ones);
}

void BitPlane::assign(std::int64_t begin, std::int64_t length, bool value) {
  if (words_ == nullptr && (value_ == value || length <= 0)) return;
  if (length == bits_) return fill(value);
  spread();
  const std::int64_t first = (begin + 63) >> 6, last = (begin + length) >> 6;
  const auto partial = [&](std::int64_t from, std::int64_t count) {
    for_each_word(from, count, [&](std::int64_t w, std::uint64_t mask) {
      words_[static_cast<std::size_t>(w)] = value ? words_[static_cast<std::size_t>(w)] | mask
                                                  : words_[static_cast<std::size_t>(w)] & ~mask;
      return true;
    });
  };
  if (first >= last) return partial(begin, length);
  partial(begin, first * 64 - begin);
  std::fill(words_.get() + first, words_.get() + last, value ? ones : 0);
  partial(last * 64, begin + length - last * 64);
}

bool BitPlane::all(std::int64_t begin, std::int64_t length) const {
  if (words_ == nullptr) return value_ || length <= 0;
  std::uint64_t missing = 0;
  for_each_word(begin, length, [&](std::int64_t w, std::uint64_t mask) {
    missing |= mask & ~words_[static_cast<std::size_t>(w)];
    return true;
  });
  return missing == 0;
}

bool BitPlane::any(std::int64_t begin, std::int64_t length) const {
  return find(begin, length, true) >= 0;
}

std::int64_t BitPlane::find(std::int64_t begin, std::int64_t length, bool value) const {
  if (words_ == nullptr) return value_ == value && length > 0 ? begin : -1;
  std::int64_t found = -1;
  for_each_word(begin, length, [&](std::int64_t w, std::uint64_t mask) {
    const std::uint64_t word = words_[static_cast<std::size_t>(w)];
    const std::uint64_t hits = (value ? word : ~word) & mask;
    if (hits != 0) found = w * 64 + std::countr_zero(hits);
    return hits == 0;
  });
  return found;
}

std::int64_t BitPlane::count() const {
  if (words_ == nullptr) return value_ ? bits_ : 0;
  std::int64_t sum = 0;
  for_each_word(0, bits_, [&](std::int64_t w, std::uint64_t mask) {
    sum += std::popcount(words_[static_cast<std::size_t>(w)] & mask);
    return true;
  });
  return sum;
}

}  // namespace tessera
