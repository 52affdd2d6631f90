// Which ranges of a record overlap, and who uses them.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "interp/certificate/record.h"

namespace tessera {

// How two accesses of different agents to overlapping ranges relate.
enum class Clash : std::uint8_t { none, order, conflict };  // order: both accumulate
inline Clash clash(AccessKind a, AccessKind b) {
  if (a == AccessKind::read && b == AccessKind::read) return Clash::none;
  return a == AccessKind::accumulate && b == AccessKind::accumulate ? Clash::order
                                                                    : Clash::conflict;
}

class Conflicts {
 public:
  explicit Conflicts(const Record& record);

  // Ranges that a range overlaps and that may be accessed in conflict with it, itself included.
  std::span<const std::int32_t> overlapping(std::int32_t range) const {
    return overlapping_.of(range);
  }
  // A core that accesses a range, itself or by its copies: where it stands behind the last of these
  // accesses (of a copy: its start), of any kind and of those that do not only read.
  struct User {
    std::int32_t core;
    std::int32_t end_of_any = 0, end_of_changes = 0;
    bool has_copies = false;
  };
  std::span<const User> users(std::int32_t range) const { return users_.of(range); }

 private:
  // A list for each range, one behind the other in memory: records have thousands of short ones.
  template <typename T>
  class Lists {
   public:
    // Each pair is a range and an entry of its list, in the order that the list will have.
    Lists() = default;
    Lists(std::size_t ranges, const std::vector<std::pair<std::int32_t, T>>& pairs);
    std::span<const T> of(std::int32_t range) const {
      const auto r = static_cast<std::size_t>(range);
      return {entries_.data() + begin_[r], entries_.data() + begin_[r + 1]};
    }

   private:
    std::vector<std::size_t> begin_;
    std::vector<T> entries_;
  };
  using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

  void find_users();
  void find_overlaps();
  void overlap(std::span<const std::int32_t> of_object, Pairs& pairs) const;

  const Record& record_;
  Lists<std::int32_t> overlapping_;
  Lists<User> users_;
};

}  // namespace tessera
