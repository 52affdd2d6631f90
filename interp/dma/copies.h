// Copies in flight: a pool of slots, the order of each lane, and for each semaphore the copies that
// will signal it. A lane contains the copies from one core, including its loop workers, to one
// other device. If copies are in order, the writes in a lane are in the order of the starts. Reads,
// and copies within a device, are in any order.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "interp/dma/copy.h"
#include "interp/machine/topology.h"

namespace tessera {

class Copies {
 public:
  Copies(const Topology& topology, bool in_order);

  Copy& at(std::int32_t slot) { return slots_[static_cast<std::size_t>(slot)]; }
  const Copy& at(std::int32_t slot) const { return slots_[static_cast<std::size_t>(slot)]; }

  std::int32_t add(Copy copy);  // returns its slot
  // Frees the slot of a completed copy, which must be the first of its lane. Returns the slot of
  // the next copy in its lane, which may write now; -1 if there is none.
  std::int32_t remove(std::int32_t slot);
  std::int64_t in_flight() const { return in_flight_; }
  // Saved state (interp/dma/copies_image.h). Call settle_staging() before save(), let_go() before
  // memories are restored, and restore() after that.
  struct Image;
  Image save(const HeldBytes& held);
  void settle_staging();  // call before any memory is saved: no image may depend on staging buffers
  void let_go() { slots_.clear(); }
  void restore(const Image& image, Checks checks);
  std::vector<std::int32_t> slots() const;  // in flight, in the order of their starts

  // True if no other copy has to write before this one.
  bool is_next_to_land(const Copy& copy) const {
    return !is_in_lane(copy) || &at(lanes_[lane(copy)].first) == &copy;
  }
  // Copy that has to write before this one can: itself, or the first of its lane.
  std::int32_t first_of_lane(std::int32_t slot) const;

  // Add and remove a copy in the list of the copies that will signal a cell. which: 0: `sent`, 1:
  // `arrived` semaphore of the copy.
  void add_pending(SemCell& cell, std::int32_t slot, int which);
  void remove_pending(SemCell& cell, std::int32_t slot, int which);
  // The slot of an entry, and the entry after it (-1: none).
  static std::int32_t slot_of(std::int32_t entry) { return entry / 2; }
  std::int32_t next_pending(std::int32_t entry) const {
    return at(entry / 2).next_pending[entry % 2];
  }

 private:
  struct Lane {
    std::int32_t first = -1, last = -1;
  };
  bool is_in_lane(const Copy& copy) const {
    return !lanes_.empty() && topology_.device(copy.dst.core) != copy.id.device;
  }
  std::size_t lane(const Copy& copy) const {
    return static_cast<std::size_t>(topology_.base(topology_.of(copy.id)).index) *
               static_cast<std::size_t>(topology_.devices) +
           static_cast<std::size_t>(topology_.device(copy.dst.core));
  }

  Topology topology_;
  std::deque<Copy> slots_;
  std::vector<std::int32_t> free_;
  std::vector<Lane> lanes_;  // empty if copies are in any order
  std::int64_t in_flight_ = 0;
};

}  // namespace tessera
