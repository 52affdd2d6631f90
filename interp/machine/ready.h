// Agents that can move: cores in the order in which they became ready, copies in the order of their
// starts. Agents of the slow device are in a separate set.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "interp/schedule/schedule.h"

namespace tessera {

class Ready {
 public:
  // Add an agent that is not in the set. is_slow: it belongs to the slow device. serial: position
  // in the order of starts.
  void add_core(Handle core, bool is_slow) { add(core, is_slow, Kind::core, 0); }
  void add_copy(Handle copy, bool is_slow, std::int64_t serial) {
    add(copy, is_slow, Kind::copy, serial);
  }
  void remove(Handle agent);  // requires contains()

  bool contains(Handle agent) const {
    return static_cast<std::size_t>(agent) < nodes_.size() && nodes_[index(agent)].position >= 0;
  }
  bool empty() const { return sides_[0].all.empty() && sides_[1].all.empty(); }
  // True if only agents of the slow device may move, because no others are ready.
  bool is_slow_side() const { return sides_[0].all.empty(); }

  // Agents that may move now: those of the slow device only if is_slow_side(). `nobody` if there is
  // none.
  std::span<const Handle> all() const { return side().all; }
  Handle first_core() const { return side().lists[0].first; }
  Handle oldest_copy() const { return side().lists[1].first; }
  Handle newest_copy() const { return side().lists[1].last; }

 private:
  enum class Kind : std::uint8_t { core, copy };
  struct Node {
    Handle previous = nobody, next = nobody;
    std::int32_t position = -1;  // in Side::all
    bool is_slow = false;
    Kind kind = Kind::core;
    std::int64_t serial = 0;
  };
  struct List {
    Handle first = nobody, last = nobody;
  };
  struct Side {
    std::vector<Handle> all;
    std::array<List, 2> lists;  // by Kind
  };

  static std::size_t index(Handle agent) { return static_cast<std::size_t>(agent); }
  const Side& side() const { return sides_[is_slow_side() ? 1 : 0]; }
  void add(Handle agent, bool is_slow, Kind kind, std::int64_t serial);

  std::array<Side, 2> sides_;  // ordinary, slow
  std::vector<Node> nodes_;
};

}  // namespace tessera
