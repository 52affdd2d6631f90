// Which ranges of a record overlap, and who uses them.
#pragma once
#include <cstdint>
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
  const std::vector<std::int32_t>& overlapping(std::int32_t range) const {
    return overlapping_[static_cast<std::size_t>(range)];
  }
  // A core that accesses a range, itself or by its copies: where it stands behind the last of these
  // accesses (of a copy: its start), of any kind and of those that do not only read.
  struct User {
    std::int32_t core;
    std::int32_t end_of_any = 0, end_of_changes = 0;
    bool has_copies = false;
  };
  const std::vector<User>& users(std::int32_t range) const {
    return users_[static_cast<std::size_t>(range)];
  }

 private:
  void find_users();
  void find_overlaps();
  void overlap(std::vector<std::int32_t>& ranges);

  const Record& record_;
  std::vector<std::vector<std::int32_t>> overlapping_;
  std::vector<std::vector<User>> users_;
};

}  // namespace tessera
