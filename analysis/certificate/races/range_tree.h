// Many rectangles of one object that overlap each other, as a tree: those that overlap one of them
// are few subtrees, however many rectangles that is.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/certificate/record/record.h"

namespace tessera {

using RangeNodeId = Id<struct RangeNode>;

// Nodes: the ranges of the record first, then the inner nodes of all trees. So a range and the node
// that stands for it alone have one number.
class RangeTrees {
 public:
  explicit RangeTrees(const Table<RangeId, Range>& ranges)
      : ranges_(ranges), parents_(ranges.size()) {}

  static RangeNodeId node_of(RangeId range) { return RangeNodeId(range.index); }

  // A tree of these ranges, none of them empty. Its root.
  RangeNodeId add(std::vector<RangeId> ranges);

  std::size_t nodes() const { return parents_.size(); }
  // The inner nodes of all trees.
  IdRange<RangeNodeId> inner_nodes() const { return {node_of(ranges_.next()), parents_.next()}; }
  bool is_range(RangeNodeId node) const { return node < node_of(ranges_.next()); }
  // The node that this one is part of, or none.
  RangeNodeId parent(RangeNodeId node) const { return parents_[node]; }
  // What an inner node is made of: ranges, or two nodes. Children have the lower numbers.
  std::span<const RangeNodeId> children(RangeNodeId node) const;

  // Goes through nodes that are made of just the ranges which overlap the box, each once.
  // skip(node): nothing in it is wanted; take(node): whether to end the walk.
  template <typename Skip, typename Take>
  bool walk(RangeNodeId node, const Box& box, const Skip& skip, const Take& take) const {
    if (skip(node)) return false;
    if (is_range(node)) return intersects(ranges_[range_of(node)].box, box) && take(node);
    const Meets meets = meets_of(inner(node), box);
    if (meets == Meets::none) return false;
    if (meets == Meets::all) return take(node);
    for (const RangeNodeId child : children(node))
      if (walk(child, box, skip, take)) return true;
    return false;
  }

 private:
  enum class Meets : std::uint8_t { none, some, all };
  // Of each dimension, where the ranges begin and end.
  struct Inner {
    std::array<RangeNodeId, 8> children{};
    std::size_t count = 0;
    Index first_start{}, last_start{}, first_end{}, last_end{};
  };

  static RangeId range_of(RangeNodeId node) { return RangeId(node.index); }
  const Inner& inner(RangeNodeId node) const {
    return inner_[static_cast<std::size_t>(node - node_of(ranges_.next()))];
  }
  Meets meets_of(const Inner& inner, const Box& box) const;
  RangeNodeId build(std::span<RangeId> ranges);

  const Table<RangeId, Range>& ranges_;
  std::vector<Inner> inner_;  // behind the ranges
  Table<RangeNodeId, RangeNodeId> parents_;
};

}  // namespace tessera
