// Overlaps of the ranges of a record, and the cores that access them.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/certificate/races/range_tree.h"
#include "analysis/certificate/record/lists.h"
#include "analysis/certificate/record/record.h"

namespace tessera {

// Relation of two accesses of different agents to overlapping ranges.
enum class Clash : std::uint8_t { none, order, conflict };  // order: both accumulate
inline Clash clash(AccessKind a, AccessKind b) {
  if (a == AccessKind::read && b == AccessKind::read) return Clash::none;
  return a == AccessKind::accumulate && b == AccessKind::accumulate ? Clash::order
                                                                    : Clash::conflict;
}

// Place of a range: an object at its owner, or entering or leaving a core.
using RangePlaceId = Id<struct RangePlace>;

// Ranges overlap if they share an element. Entering the kernel overlaps with the objects that begin
// with it, and all ranges that a core uses overlap with leaving it. Each range has a node of its
// own. If listing the overlapping pairs of an object is too expensive, it has inner nodes that
// represent several ranges.
class Conflicts {
 public:
  // record: must outlive this object.
  explicit Conflicts(const Record& record);

  // True if the ranges overlap. x: range of the access that came first in the run, because entering
  // the kernel overlaps only with later ranges, and leaving it only with earlier ones.
  bool overlap(RangeId x, RangeId y) const;

  // Visits nodes of ranges that overlap this range, including itself, and that may be accessed in
  // conflict with it. skip(node): true to leave out the node. take(node): true to end the walk.
  // Returns true if the walk was ended.
  template <typename Skip, typename Take>
  bool walk(RangeId range, const Skip& skip, const Take& take) const {
    const Range& self = record_.ranges[range];
    if (const RangeNodeId root = roots_[range]) {
      if (trees_.walk(root, self.box, skip, take)) return true;
    } else {
      for (const RangeId near : near_.of(range))
        if (const RangeNodeId node = RangeTrees::node_of(near); !skip(node) && take(node))
          return true;
    }
    if (self.kind == ObjectKind::none) return false;
    const RangeId left = leaving(Record::core_at(self.core));
    if (!left) return false;
    const RangeNodeId node = RangeTrees::node_of(left);
    return !skip(node) && take(node);
  }
  // True if walk() has a node to visit: another access, or leaving the kernel, may conflict with
  // accesses to this range.
  bool overlaps_any(RangeId range) const {
    return walk(
        range, [](RangeNodeId) { return false; }, [](RangeNodeId) { return true; });
  }

  // Core that accesses a range, directly or by its copies. Ends: position of the core after the
  // last access (of a copy: its start), for all accesses and for accesses that are not reads.
  struct User {
    RecordedAgentId core;
    EventId end_of_any{0}, end_of_changes{0};
    bool has_copies = false;
  };
  // Users of all ranges of a node, one entry per core, in ascending order of cores.
  std::span<const User> users(RangeNodeId node) const { return users_.of(node); }

  std::size_t nodes() const { return trees_.nodes(); }
  // Parent of a node, or none.
  RangeNodeId parent(RangeNodeId node) const { return trees_.parent(node); }

  // Range with which a core leaves the kernel, or none.
  RangeId leaving(RecordedAgentId core) const { return leaving_[core]; }
  // Ranges that begin to exist with this range, which enters the kernel.
  std::span<const RangeId> brought_by(RangeId entering) const { return near_.of(entering); }

  RangePlaceId place(RangeId range) const { return places_[range]; }
  // Upper bound of the place ids, not all of which are used.
  std::size_t places() const { return place_count_; }

 private:
  using Pairs = std::vector<std::pair<RangeId, RangeId>>;
  using Users = std::vector<std::pair<RangeNodeId, User>>;

  void find_places();
  Users users_of_ranges() const;
  void find_overlaps();
  bool is_contested(std::span<const RangeId> of_object) const;
  bool list_overlaps(std::span<const RangeId> of_object, Pairs& pairs) const;
  void add_users_of_trees(Users& users) const;

  const Record& record_;
  Table<RangeId, RangePlaceId> places_;
  std::size_t place_count_ = 0;
  Table<RecordedAgentId, RangeId> leaving_;  // by core; may be none
  RangeTrees trees_;
  Table<RangeId, RangeNodeId> roots_;  // root of the range's tree, or none
  Lists<RangeId, RangeId> near_;       // only for ranges in no tree
  Lists<RangeNodeId, User> users_;
};

}  // namespace tessera
