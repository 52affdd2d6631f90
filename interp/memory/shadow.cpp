#include "interp/memory/shadow.h"

#include <algorithm>
#include <bit>

namespace tessera {
namespace {

constexpr std::uint64_t ones = ~std::uint64_t{0};

// Calls f(word, mask) for the words that overlap [begin, begin + length). Stops if f returns false.
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

// Most words are uniform, and the baseline processor has no popcount instruction.
std::int64_t set_bits(std::uint64_t word) {
  return word == 0 ? 0 : word == ones ? 64 : std::popcount(word);
}

}  // namespace

std::size_t BitPlane::word_count() const { return static_cast<std::size_t>((bits_ + 63) >> 6); }

BitPlane BitPlane::copy() const {
  BitPlane other(bits_);
  other.value_ = value_;
  other.count_ = count_;
  other.run_begin_ = run_begin_;
  other.run_end_ = run_end_;
  if (words_ == nullptr) return other;
  other.words_ = std::make_unique<std::uint64_t[]>(word_count());
  std::copy_n(words_.get(), word_count(), other.words_.get());
  return other;
}

BitPlane::Image BitPlane::save(const Image* before, const HeldBytes& held) const {
  Image image{bits_, count_, run_begin_, run_end_, value_, words_ != nullptr, {}};
  if (image.has_words)
    image.words = ByteImage(reinterpret_cast<const std::byte*>(words_.get()),
                            static_cast<std::int64_t>(word_count() * sizeof(std::uint64_t)),
                            before == nullptr ? nullptr : &before->words, held);
  return image;
}

void BitPlane::restore(const Image& image) {
  const bool keeps_words = image.has_words && words_ != nullptr && bits_ == image.bits;
  bits_ = image.bits;
  count_ = image.count;
  run_begin_ = image.run_begin;
  run_end_ = image.run_end;
  value_ = image.value;
  if (!keeps_words) words_.reset();
  if (!image.has_words) return;
  if (!keeps_words) words_ = std::make_unique_for_overwrite<std::uint64_t[]>(word_count());
  image.words.put(reinterpret_cast<std::byte*>(words_.get()));
}

void BitPlane::fill(bool value) {
  words_.reset();
  value_ = value;
  count_ = run_end_ = value ? bits_ : 0;
  run_begin_ = 0;
}

void BitPlane::spread() {
  if (words_ != nullptr) return;
  words_ = std::make_unique<std::uint64_t[]>(word_count());
  if (value_) std::fill_n(words_.get(), word_count(), ones);
}

void BitPlane::assign(std::int64_t begin, std::int64_t length, bool value) {
  if (length <= 0 || (value ? is_set() : is_clear())) return;
  if (length == bits_) return fill(value);
  const std::int64_t end = begin + length;
  if (!value) {
    count_ -= write(begin, length, false);
    cut_run(begin, end);
  } else if (end < run_begin_ || run_end_ < begin) {
    count_ += write(begin, length, true);
    extend_run(begin, end);
  } else {
    if (begin < run_begin_) count_ += write(begin, run_begin_ - begin, true);
    if (run_end_ < end) count_ += write(run_end_, end - run_end_, true);
    extend_run(std::min(begin, run_begin_), std::max(end, run_end_));
  }
}

// Keeps the longer of the two runs.
void BitPlane::extend_run(std::int64_t begin, std::int64_t end) {
  if (end - begin <= run_end_ - run_begin_) return;
  run_begin_ = begin;
  run_end_ = end;
}

// Keeps the longer part of the run after bits are cleared.
void BitPlane::cut_run(std::int64_t begin, std::int64_t end) {
  if (end <= run_begin_ || run_end_ <= begin) return;
  if (begin - run_begin_ >= run_end_ - end)
    run_end_ = std::max(begin, run_begin_);
  else
    run_begin_ = end;
}

// Returns the number of bits that changed.
std::int64_t BitPlane::write(std::int64_t begin, std::int64_t length, bool value) {
  spread();
  const std::int64_t word = begin >> 6;
  if (word == (begin + length - 1) >> 6) {
    // Fast path for rows of small tiles: usually either all or none of the bits change.
    const std::uint64_t mask = ones >> (64 - length) << (begin & 63);
    std::uint64_t& bits = words_[static_cast<std::size_t>(word)];
    const std::uint64_t others = (value ? ~bits : bits) & mask;
    bits ^= others;
    return others == mask ? length : set_bits(others);
  }
  // All bits change if the plane is uniform with the other value.
  std::int64_t other = (value ? is_clear() : is_set()) ? length : 0;
  const auto partial = [&](std::int64_t from, std::int64_t bits, bool counts) {
    for_each_word(from, bits, [&](std::int64_t w, std::uint64_t mask) {
      std::uint64_t& word = words_[static_cast<std::size_t>(w)];
      if (counts) other += set_bits((value ? ~word : word) & mask);
      word = value ? word | mask : word & ~mask;
      return true;
    });
  };
  const std::int64_t first = (begin + 63) >> 6, last = (begin + length) >> 6;
  if (other == 0 || first >= last) {
    partial(begin, length, other == 0);
  } else {
    partial(begin, first * 64 - begin, false);
    std::fill(words_.get() + first, words_.get() + last, value ? ones : 0);
    partial(last * 64, begin + length - last * 64, false);
  }
  return other;
}

bool BitPlane::all(std::int64_t begin, std::int64_t length) const {
  if (length <= 0 || is_set() || is_in_run(begin, begin + length)) return true;
  if (is_clear()) return false;
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
  if (length <= 0 || (value ? is_clear() : is_set())) return -1;
  if (value ? is_set() : is_clear()) return begin;
  std::int64_t found = -1;
  for_each_word(begin, length, [&](std::int64_t w, std::uint64_t mask) {
    const std::uint64_t word = words_[static_cast<std::size_t>(w)];
    const std::uint64_t hits = (value ? word : ~word) & mask;
    if (hits != 0) found = w * 64 + std::countr_zero(hits);
    return hits == 0;
  });
  return found;
}

}  // namespace tessera
