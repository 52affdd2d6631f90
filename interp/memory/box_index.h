// Rectangles of one memory, found by where they lie.
#pragma once
#include <bit>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <vector>

#include "core/program/program.h"
#include "interp/memory/view.h"

namespace tessera {

// A few are looked at one by one. Of more, each lies between two row-major positions, and those of
// about one length are kept together, in the order of their first positions, so that few are looked
// at that do not meet what is asked for: rows, and the blocks that have rows in common with it.
template <typename T>
class BoxIndex {
 public:
  using Memory = std::pmr::memory_resource;

  BoxIndex() = default;
  // The shape lives longer; so does the memory, which the rectangles are kept in.
  explicit BoxIndex(const Shape& shape, Memory* memory = std::pmr::get_default_resource())
      : shape_(&shape), few_(memory), by_length_(memory) {}

  void add(const Box& box, const T& value) {
    if (by_length_.empty() && few_.size() < max_linear) {
      few_.push_back({box, value});
      return;
    }
    for (const Entry& entry : few_) add_by_length(entry);
    few_.clear();
    add_by_length({box, value});
  }

  // Calls meet(box, value) for each that has an element in common.
  template <typename F>
  void for_each_meeting(const Box& box, F meet) const {
    for (const Entry& entry : few_)
      if (intersects(entry.box, box)) meet(entry.box, entry.value);
    if (by_length_.empty()) return;
    const Span span = span_of(box);
    for (const auto& [bits, entries] : by_length_)
      for (auto at = first(entries, bits, span); at != entries.end() && at->first <= span.last;
           ++at)
        if (intersects(at->second.box, box)) meet(at->second.box, at->second.value);
  }

  // Removes those that lie in the box.
  void erase_covered(const Box& box) {
    std::erase_if(few_, [&](const Entry& entry) { return contains(box, entry.box); });
    if (by_length_.empty()) return;
    const Span span = span_of(box);
    for (auto length = by_length_.begin(); length != by_length_.end();) {
      auto& [bits, entries] = *length;
      for (auto at = first(entries, bits, span); at != entries.end() && at->first <= span.last;)
        at = contains(box, at->second.box) ? entries.erase(at) : std::next(at);
      length = entries.empty() ? by_length_.erase(length) : std::next(length);
    }
  }

  template <typename F>
  void for_each(F take) const {
    for (const Entry& entry : few_) take(entry.value);
    for (const auto& [bits, entries] : by_length_)
      for (const auto& [position, entry] : entries) take(entry.value);
  }

 private:
  struct Span {
    std::uint64_t first = 0, last = 0;
  };
  struct Entry {
    Box box{};
    T value{};
  };
  using Entries = std::pmr::multimap<std::uint64_t, Entry>;
  static constexpr std::size_t max_linear = 8;

  void add_by_length(const Entry& entry) {
    const Span span = span_of(entry.box);
    by_length_[std::bit_width(span.last - span.first)].emplace(span.first, entry);
  }

  // Of a rectangle that is not empty.
  Span span_of(const Box& box) const {
    std::uint64_t first = 0, last = 0;
    for (int d = 0; d < box.rank; ++d) {
      const auto extent = static_cast<std::uint64_t>((*shape_)[Box::at(d)]);
      first = first * extent + static_cast<std::uint64_t>(box.start[Box::at(d)]);
      last = last * extent + static_cast<std::uint64_t>(box.end(d) - 1);
    }
    return {first, last};
  }

  // The first that may reach the span.
  template <typename All>
  static auto first(All& entries, int bits, const Span& span) {
    const std::uint64_t longest = bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
    return entries.lower_bound(span.first > longest ? span.first - longest : 0);
  }

  const Shape* shape_ = nullptr;
  std::pmr::vector<Entry> few_;            // if these are all
  std::pmr::map<int, Entries> by_length_;  // else all
};

}  // namespace tessera
