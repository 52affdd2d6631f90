// Spatial index of rectangles in one memory.
#pragma once
#include <bit>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <vector>

#include "core/program/program.h"
#include "interp/memory/view.h"

namespace tessera {

// Maps boxes to values. Up to max_linear boxes are searched linearly. For more boxes, each box
// spans an interval of row-major positions. The boxes are grouped by the bit width of the interval
// length and ordered by first position, so that a query visits few boxes that do not intersect it:
// only those with rows in common.
template <typename T>
class BoxIndex {
 public:
  using Memory = std::pmr::memory_resource;

  // An index without a shape, which can store at most max_linear boxes.
  BoxIndex() = default;
  // shape: extents of the memory. memory: allocates the entries. Both must outlive this object.
  explicit BoxIndex(const Shape& shape, Memory* memory = std::pmr::get_default_resource())
      : shape_(&shape), few_(memory), by_length_(memory) {}

  // Adds an entry. Here and in the queries below, the box must not be empty.
  void add(const Box& box, const T& value) {
    if (by_length_.empty() && few_.size() < max_linear) {
      few_.push_back({box, value});
      return;
    }
    for (const Entry& entry : few_) add_by_length(entry);
    few_.clear();
    add_by_length({box, value});
  }

  // Calls meet(box, value) for each entry that has an element in common with `box`.
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

  // Removes the entries that are contained in `box`.
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

  // Calls take(value) for each entry.
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

  // Returns the row-major positions of the first and last element of the box in the indexed shape.
  // Requires a non-empty box.
  Span span_of(const Box& box) const {
    std::uint64_t first = 0, last = 0;
    for (int d = 0; d < box.rank; ++d) {
      const auto extent = static_cast<std::uint64_t>((*shape_)[Box::at(d)]);
      first = first * extent + static_cast<std::uint64_t>(box.start[Box::at(d)]);
      last = last * extent + static_cast<std::uint64_t>(box.end(d) - 1);
    }
    return {first, last};
  }

  // Returns the first entry that may overlap the span.
  template <typename All>
  static auto first(All& entries, int bits, const Span& span) {
    const std::uint64_t longest = bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
    return entries.lower_bound(span.first > longest ? span.first - longest : 0);
  }

  const Shape* shape_ = nullptr;
  std::pmr::vector<Entry> few_;  // all entries while there are at most max_linear, else empty
  std::pmr::map<int, Entries> by_length_;  // all entries otherwise, by bit width of the span length
};

}  // namespace tessera
