// Many rectangles of one object that overlap each other, as a tree: those that overlap one of them
// are few subtrees, however many rectangles that is.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "interp/certificate/record/record.h"

namespace tessera {

// Nodes are numbered: the ranges of the record first, then the inner nodes of all trees.
class RangeTrees {
 public:
  explicit RangeTrees(const std::vector<Range>& ranges)
      : ranges_(ranges), parents_(ranges.size(), -1) {}

  // A tree of these ranges, none of them empty. Its root.
  std::int32_t add(std::vector<std::int32_t> ranges);

  std::int32_t nodes() const { return static_cast<std::int32_t>(parents_.size()); }
  bool is_range(std::int32_t node) const { return at(node) < ranges_.size(); }
  // The node that this one is part of, or -1.
  std::int32_t parent(std::int32_t node) const { return parents_[at(node)]; }
  // What an inner node is made of: ranges, or two nodes. Children have the lower numbers.
  std::span<const std::int32_t> children(std::int32_t node) const;

  // Goes through nodes that are made of just the ranges which overlap the box, each once.
  // skip(node): nothing in it is wanted; take(node): whether to end the walk.
  template <typename Skip, typename Take>
  bool walk(std::int32_t node, const Box& box, const Skip& skip, const Take& take) const {
    if (skip(node)) return false;
    if (is_range(node)) return intersects(ranges_[at(node)].box, box) && take(node);
    const Meets meets = meets_of(inner_[at(node) - ranges_.size()], box);
    if (meets == Meets::none) return false;
    if (meets == Meets::all) return take(node);
    for (const std::int32_t child : children(node))
      if (walk(child, box, skip, take)) return true;
    return false;
  }

 private:
  enum class Meets : std::uint8_t { none, some, all };
  // Of each dimension, where the ranges begin and end.
  struct Inner {
    std::array<std::int32_t, 8> children{};
    std::int32_t count = 0;
    Index first_start{}, last_start{}, first_end{}, last_end{};
  };

  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
  Meets meets_of(const Inner& inner, const Box& box) const;
  std::int32_t build(std::span<std::int32_t> ranges);

  const std::vector<Range>& ranges_;
  std::vector<Inner> inner_;
  std::vector<std::int32_t> parents_;
};

}  // namespace tessera
