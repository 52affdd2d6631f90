// Which ranges of a record overlap, and who uses them.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "interp/certificate/races/range_tree.h"
#include "interp/certificate/record/lists.h"
#include "interp/certificate/record/record.h"

namespace tessera {

// How two accesses of different agents to overlapping ranges relate.
enum class Clash : std::uint8_t { none, order, conflict };  // order: both accumulate
inline Clash clash(AccessKind a, AccessKind b) {
  if (a == AccessKind::read && b == AccessKind::read) return Clash::none;
  return a == AccessKind::accumulate && b == AccessKind::accumulate ? Clash::order
                                                                    : Clash::conflict;
}

// Ranges overlap that have an element in common; entering the kernel overlaps what it brings, and
// all that is used overlaps leaving it. Nodes stand for ranges: each for itself, and one for many
// where so many of an object overlap each other that nobody wants to list the pairs.
class Conflicts {
 public:
  explicit Conflicts(const Record& record);

  bool overlap(std::int32_t x, std::int32_t y) const;

  // Goes through nodes of the ranges that a range overlaps, itself included, and that may be
  // accessed in conflict with it. skip(node): nothing in it is wanted; take(node): whether to end
  // the walk. Whether it was ended.
  template <typename Skip, typename Take>
  bool walk(std::int32_t range, const Skip& skip, const Take& take) const {
    const Range& self = record_.ranges[at(range)];
    if (const std::int32_t root = roots_[at(range)]; root >= 0) {
      if (trees_.walk(root, self.box, skip, take)) return true;
    } else {
      for (const std::int32_t near : near_.of(range))
        if (!skip(near) && take(near)) return true;
    }
    if (self.kind == ObjectKind::none) return false;
    const std::int32_t leaving = leaving_[at(self.site)];
    return leaving >= 0 && !skip(leaving) && take(leaving);
  }
  bool overlaps_any(std::int32_t range) const {
    return walk(
        range, [](std::int32_t) { return false; }, [](std::int32_t) { return true; });
  }

  // A core that accesses a range, itself or by its copies: where it stands behind the last of these
  // accesses (of a copy: its start), of any kind and of those that do not only read.
  struct User {
    std::int32_t core;
    std::int32_t end_of_any = 0, end_of_changes = 0;
    bool has_copies = false;
  };
  // Of all ranges of a node.
  std::span<const User> users(std::int32_t node) const { return users_.of(node); }

  std::int32_t nodes() const { return trees_.nodes(); }
  std::int32_t parent(std::int32_t node) const { return trees_.parent(node); }

  // The range that a core leaves the kernel with, or -1.
  std::int32_t leaving(std::int32_t core) const { return leaving_[at(core)]; }
  // Of a range that a core enters the kernel with: what comes into being with it.
  std::span<const std::int32_t> brought_by(std::int32_t entering) const {
    return near_.of(entering);
  }

  // What ranges are of: an object, or the entering or leaving of a core.
  std::int32_t place(std::int32_t range) const { return places_[at(range)]; }
  std::int32_t places() const { return place_count_; }

 private:
  using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;
  using Users = std::vector<std::pair<std::int32_t, User>>;

  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
  void find_places();
  Users users_of_ranges() const;
  void find_overlaps();
  bool is_contested(std::span<const std::int32_t> of_object) const;
  bool list_overlaps(std::span<const std::int32_t> of_object, Pairs& pairs) const;
  void add_users_of_trees(Users& users) const;

  const Record& record_;
  std::vector<std::int32_t> places_;  // by range
  std::int32_t place_count_ = 0;
  std::vector<std::int32_t> leaving_;  // by core: the range, or -1
  RangeTrees trees_;
  std::vector<std::int32_t> roots_;  // by range: of its tree, or -1
  Lists<std::int32_t> near_;         // of ranges in no tree
  Lists<User> users_;
};

}  // namespace tessera
