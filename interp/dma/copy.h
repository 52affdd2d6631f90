// A copy in flight: an agent that reads elements and writes them. A whole copy reads its whole
// source, then writes its whole destination. A partial copy reads and writes any number of granules
// at a time, each granule after it was read. A remote copy counts the bytes that it has read on
// `sent`; every copy counts the bytes that it has written on `arrived`.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/machine/machine_profile.h"
#include "interp/machine/agent.h"
#include "interp/machine/loop_values.h"
#include "interp/machine/semaphores.h"
#include "interp/memory/region.h"
#include "interp/memory/storage.h"
#include "interp/schedule/schedule.h"

namespace tessera {

enum class CopyKind : std::uint8_t { local, remote, write_back };

// Bytes of a granule of a partial copy: the element, or the granule of the profile if it is larger,
// rounded up to whole elements.
inline std::int64_t granule_bytes(const MachineProfile& profile, DType dtype) {
  const std::int64_t element = size_of(dtype);
  return (profile.dma_granule + element - 1) / element * element;
}

// Data that a partial copy has read but not yet written, and the elements of it that a write-back
// stores.
struct Staging {
  Staging(const Region& src, Checks checks, Contents contents);
  // Converts a box of the source to a box of `storage`.
  Box local(const Box& of_source) const;
  const Box box;  // rectangle of the source
  const Buffer buffer;
  Storage storage;
  Snapshot stored;  // no bytes
  std::vector<Box> stored_boxes;
};

struct Copy {
  AgentId id{};
  CopyKind kind = CopyKind::local;
  bool adds = false;  // to the destination, instead of writing to it
  StmtId statement;
  LoopValues loops{};                      // values at the start (interp/machine/loop_indices.h)
  std::int64_t serial = 0;                 // number in the order of all starts
  std::int64_t events = 0, steps = 0;      // emitted events, completed steps
  std::int64_t bytes = 0;                  // size of the rectangle
  std::int64_t granules = 1, granule = 0;  // their number; the bytes of each except the last
  std::int64_t read = 0, written = 0;      // granules
  std::int64_t first = 0;  // granule that moves first; granule 0 comes after the last one
  std::int64_t since = 0;  // write-back: see Storage::start_write_back
  Region src{}, dst{};
  SemId sent{}, arrived{};             // sent: only for a remote copy
  Snapshot data{};                     // for a copy with one granule
  std::unique_ptr<Staging> staging{};  // for other copies, after the first step

  bool is_partial() const { return granules > 1; }
  // Bytes that semaphores count for the first `of_granules` granules.
  std::int64_t counted(std::int64_t of_granules) const {
    return std::min(of_granules * granule, bytes);
  }
  std::int32_t next_in_lane = -1;  // next copy in the lane if copies are in order
  // Neighbours in the lists of copies that will signal a semaphore: 0 sent, 1 arrived. See Copies.
  std::int32_t previous_pending[2] = {-1, -1};
  std::int32_t next_pending[2] = {-1, -1};
};

}  // namespace tessera
