// A copy in flight: an agent that reads elements and writes them. A copy that lands whole reads all
// and then writes all. With partial copies it reads and writes granules, any number at
// a time, each after it was read; a remote copy counts on `sent` what it has read, every copy on
// `arrived` what it has written.
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

// The least that a partial copy counts at once: an element, or what the profile says if
// that is more, in whole elements.
inline std::int64_t granule_bytes(const MachineProfile& profile, DType dtype) {
  const std::int64_t element = size_of(dtype);
  return (profile.dma_granule + element - 1) / element * element;
}

// What a partial copy has read and not written, and which of it a write-back stores.
struct Staging {
  Staging(const Region& src, Checks checks, Contents contents);
  Box local(const Box& of_source) const;
  const Box box;  // of the source
  const Buffer buffer;
  Storage storage;
  Snapshot stored;  // no bytes
  std::vector<Box> stored_boxes;
};

struct Copy {
  AgentId id{};
  CopyKind kind = CopyKind::local;
  bool adds = false;
  StmtId statement;
  LoopValues loops{};       // around the start, as they were (interp/machine/loop_indices.h)
  std::int64_t serial = 0;  // in the order of all starts
  std::int64_t events = 0, steps = 0;
  std::int64_t bytes = 0;                  // of the whole rectangle
  std::int64_t granules = 1, granule = 0;  // how many that is, and the bytes of each but the last
  std::int64_t read = 0, written = 0;      // granules
  std::int64_t first = 0;  // the granule that moves first; the one after the last is number 0
  std::int64_t since = 0;  // of a write-back: see Storage::start_write_back
  Region src{}, dst{};
  SemId sent{}, arrived{};             // sent: of a remote copy
  Snapshot data{};                     // of a copy that moves as one granule
  std::unique_ptr<Staging> staging{};  // of any other, from its first step on

  bool is_partial() const { return granules > 1; }
  std::int64_t counted(std::int64_t of_granules) const {
    return std::min(of_granules * granule, bytes);
  }
  std::int32_t next_in_lane = -1;  // the copy that waits for this one when copies are in order
  // Neighbours in the lists of copies that will signal a semaphore: 0 sent, 1 arrived. See Copies.
  std::int32_t previous_pending[2] = {-1, -1};
  std::int32_t next_pending[2] = {-1, -1};
};

}  // namespace tessera
