// Starts and steps of copies: selection of the next part, and its signals.
#include <utility>

#include "interp/machine/machine.h"

namespace tessera {

void Machine::start(Copy copy) {
  stats_.dma_bytes += copy.bytes;
  copy.serial = starts_++;
  const bool slow = is_slow(copy.id.device);
  const bool remote = copy.kind == CopyKind::remote;
  const SemId sent = copy.sent, arrived = copy.arrived;
  const std::int64_t serial = copy.serial;
  copy.granule = copy.bytes;
  if (options_.copies.granularity == CopyGranularity::partial) {
    copy.granule = granule_bytes(options_.machine.profile, copy.src.storage->buffer().dtype);
    copy.granules = (copy.bytes + copy.granule - 1) / copy.granule;
  }
  const std::int32_t slot = copies_.add(std::move(copy));
  if (points_ != nullptr) copies_.at(slot).dst.storage->note_change(copies_.at(slot).dst.box);
  if (remote) copies_.add_pending(cell(sent), slot, 0);
  copies_.add_pending(cell(arrived), slot, 1);
  ready_.add_copy(handle(slot), slow, serial);
}

// The requested part, or the next one by default: the last granule of several is read and written
// after the others. No granules: the copy cannot do this now.
CopyPart Machine::next_part(const Copy& copy, CopyPart part) const {
  const Open left = open_of(copy);
  if (part.side == CopyPart::Side::next) {
    part = {};
    const std::int64_t most = left.to_write > 0 ? copy.read : copy.granules;
    const std::int64_t done = left.to_write > 0 ? copy.written : copy.read;
    const bool keeps_last = most == copy.granules && done < copy.granules - 1;
    part.side = left.to_write > 0 ? CopyPart::Side::write : CopyPart::Side::read;
    part.granules = most - done - (keeps_last ? 1 : 0);
    return part;
  }
  const std::int64_t most = part.side == CopyPart::Side::read ? left.to_read : left.to_write;
  if (part.granules == 0) part.granules = most;
  const bool may_begin = part.first == 0 || (copy.read == 0 && part.first < copy.granules);
  if (part.granules > most || !may_begin) part.granules = 0;
  return part;
}

void Machine::step_copy(std::int32_t slot, const CopyPart& part) {
  Copy& copy = copies_.at(slot);
  const bool reading = part.side == CopyPart::Side::read;
  copy_engine_.move(copy, part);
  if (stopped_) return;
  std::int64_t& done = reading ? copy.read : copy.written;
  const std::int64_t before = std::exchange(done, done + part.granules);
  if (!reading || copy.kind == CopyKind::remote) {
    const SemId& sem = reading ? copy.sent : copy.arrived;
    if (done == copy.granules) copies_.remove_pending(cell(sem), slot, reading ? 0 : 1);
    signal(sem, copy.counted(done) - copy.counted(before), copy.id, copy.statement, copy.steps,
           copy.events);
    if (stopped_) return;
  }
  ++copy.steps;
}

}  // namespace tessera
