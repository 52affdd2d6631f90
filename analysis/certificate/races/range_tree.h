// Tree of many overlapping rectangles of one object. All rectangles that overlap a given rectangle
// form few subtrees, regardless of their number.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/certificate/record/record.h"

namespace tessera {

using RangeNodeId = Id<struct RangeNode>;

// Nodes: first the ranges of the record, then the inner nodes of all trees. A range and its own
// node have the same number.
class RangeTrees {
 public:
  // ranges: must outlive this object and not change.
  explicit RangeTrees(const Table<RangeId, Range>& ranges)
      : ranges_(ranges), parents_(ranges.size()) {}

  static RangeNodeId node_of(RangeId range) { return RangeNodeId(range.index); }

  // Builds a tree of these ranges of one object, at least one, none of which may be empty. Returns
  // its root.
  RangeNodeId add(std::vector<RangeId> ranges);

  std::size_t nodes() const { return parents_.size(); }
  // The inner nodes of all trees.
  IdRange<RangeNodeId> inner_nodes() const { return {node_of(ranges_.next()), parents_.next()}; }
  bool is_range(RangeNodeId node) const { return node < node_of(ranges_.next()); }
  // Parent of a node, or none.
  RangeNodeId parent(RangeNodeId node) const { return parents_[node]; }
  // Children of an inner node: ranges, or two nodes. Their numbers are lower than the parent's.
  std::span<const RangeNodeId> children(RangeNodeId node) const;

  // Visits nodes that together contain exactly the ranges which overlap the box, each once.
  // skip(node): true to leave out the node. take(node): true to end the walk. Returns true if the
  // walk was ended.
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
  // Bounds of the starts and ends of the ranges, by dimension.
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
  std::vector<Inner> inner_;  // numbered after the ranges
  Table<RangeNodeId, RangeNodeId> parents_;
};

}  // namespace tessera
