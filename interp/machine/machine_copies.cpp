// What copies do in a step: read elements or write them, and count them. Those that stream move
// their data in machine_copy_parts.cpp.
#include <fmt/format.h>

#include <utility>

#include "interp/findings/describe.h"
#include "interp/findings/uninitialised.h"
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
  if (options_.landing == Landing::partial) {
    copy.granule = granule_bytes(options_.profile, copy.src.storage->buffer().dtype);
    copy.granules = (copy.bytes + copy.granule - 1) / copy.granule;
  }
  const std::int32_t slot = copies_.add(std::move(copy));
  if (points_ != nullptr) copies_.at(slot).dst.storage->note_change(copies_.at(slot).dst.box);
  if (remote) copies_.add_pending(cell(sent), slot, 0);
  copies_.add_pending(cell(arrived), slot, 1);
  ready_.add_copy(handle(slot), slow, serial);
}

// A half of a copy reaches a rectangle: does it still exist, as the one it was?
bool Machine::reach(Copy& copy, const Region& region, EventKind kind) {
  const CoreState& owner = core_state(region.site);
  const std::int64_t life = owner.lives[region.buffer];
  const bool is_own = region.site == topology_.of(copy.id);
  if (!region.storage->is_live() || (is_own && life != region.life)) {
    const std::string what = slice_text(program_, region.buffer, region.box);
    const Space space = region.storage->buffer().space;
    const std::string whose =
        is_own ? what : fmt::format("{} of {}", what, topology_.name(region.site, space));
    const bool is_over = life > 0;
    stop(FindingKind::lifetime,
         fmt::format("a copy {} {}, which {}", kind == EventKind::read ? "reads" : "writes", whose,
                     is_over ? "no longer exists" : "does not exist yet"),
         copy.id, copy.statement);
    return false;
  }
  if (!observes_) return true;
  const auto emit_of = [&](const Box& box) {
    Event event{.kind = kind,
                .object_kind = ObjectKind::buffer,
                .agent = copy.id,
                .index = copy.events++,
                .agent_step = copy.steps,
                .statement = copy.statement,
                .site = region.site,
                .object = region.buffer,
                .box = &box};
    emit(event);
  };
  // A write-back writes what was stored, nothing else.
  if (copy.kind != CopyKind::write_back || kind != EventKind::write) {
    emit_of(region.box);
  } else {
    const Snapshot& stored = copy.staging ? copy.staging->stored : copy.data;
    for (const Box& box : stored.stored_boxes(region.box)) emit_of(box);
  }
  return true;
}

void Machine::take(Copy& copy) {
  const bool stored_only = copy.kind == CopyKind::write_back;
  const bool carries = !copy.dst.storage->is_idle();
  copy.data = stored_only ? copy.src.storage->snapshot_stored(copy.src.box, carries)
                          : copy.src.storage->snapshot(copy.src.box, carries);
  if (!same_kept_sizes(copy.src.box, copy.dst.box)) copy.data.reshape(copy.dst.box);
  if (options_.uninitialised != Uninitialised::strict || copy.data.initialised()) return;
  stop(uninitialised_finding(program(), findings(), "read", copy.src,
                             copy.data.first_uninitialised(), copy.data.origin(), copy.id,
                             copy.statement),
       copy.id, copy.statement);
}

void Machine::land(Copy& copy) {
  if (!keeps_result_defined(copy, copy.data, {})) return;
  land(copy, copy.dst.box, copy.data);
  if (copy.kind == CopyKind::write_back) copy.dst.storage->end_write_back(copy.id.core, copy.since);
}

// Whether the data brings nothing undefined into a result; if it does, the run stops with a
// finding. `from` is where the data's indices count from.
bool Machine::keeps_result_defined(const Copy& copy, const Snapshot& data, const Index& from) {
  const bool is_result = copy.dst.storage->buffer().role == Role::out;
  if (!is_result || options_.uninitialised != Uninitialised::use || data.initialised()) return true;
  Index missing = data.first_uninitialised();
  for (std::size_t d = 0; d < missing.size(); ++d) missing[d] += from[d];
  Finding finding = uninitialised_finding(program(), findings(), "copy", copy.src, missing,
                                          data.origin(), copy.id, copy.statement);
  finding.message = fmt::format("copy of {} to {} takes {}, which is undefined, into the result",
                                slice_text(program_, copy.src.buffer, copy.src.box),
                                slice_text(program_, copy.dst.buffer, copy.dst.box),
                                element_text(program_, copy.src.buffer, missing));
  stop(std::move(finding), copy.id, copy.statement);
  return false;
}

// Writes data into the rectangle of the destination that it is for.
void Machine::land(Copy& copy, const Box& box, const Snapshot& data) {
  const PlaceId place = program_.place_of(copy.statement);
  if (copy.adds) {
    copy.dst.storage->land_add(box, data, place);
  } else if (copy.kind != CopyKind::write_back) {
    copy.dst.storage->land(box, data, place);
  } else if (const auto again =
                 copy.dst.storage->land_stored(box, data, place, copy.id.core, copy.since)) {
    stop(FindingKind::revisit,
         fmt::format("write_back of {} to {} stores {} a second time",
                     slice_text(program_, copy.src.buffer, copy.src.box),
                     slice_text(program_, copy.dst.buffer, copy.dst.box),
                     element_text(program_, copy.dst.buffer, *again)),
         copy.id, copy.statement);
  }
}

// What is asked for, or what is next: of several granules all but the last are read and written
// before it. No granules: the copy cannot do that now.
CopyPart Machine::next_part(const Copy& copy, CopyPart part) const {
  const Open left = open_of(copy);
  if (part.half == CopyPart::Half::next) {
    part = {};
    const std::int64_t most = left.to_write > 0 ? copy.read : copy.granules;
    const std::int64_t done = left.to_write > 0 ? copy.written : copy.read;
    const bool keeps_last = most == copy.granules && done < copy.granules - 1;
    part.half = left.to_write > 0 ? CopyPart::Half::write : CopyPart::Half::read;
    part.granules = most - done - (keeps_last ? 1 : 0);
    return part;
  }
  const std::int64_t most = part.half == CopyPart::Half::read ? left.to_read : left.to_write;
  if (part.granules == 0) part.granules = most;
  const bool may_begin = part.first == 0 || (copy.read == 0 && part.first < copy.granules);
  if (part.granules > most || !may_begin) part.granules = 0;
  return part;
}

// One step of a copy.
void Machine::step_copy(std::int32_t slot, const CopyPart& part) {
  Copy& copy = copies_.at(slot);
  const bool reading = part.half == CopyPart::Half::read;
  const EventKind kind = reading     ? EventKind::read
                         : copy.adds ? EventKind::accumulate
                                     : EventKind::write;
  if (copy.read == 0) copy.first = part.first;
  if (!reach(copy, reading ? copy.src : copy.dst, kind)) return;
  if (copy.is_partial())
    reading ? take_part(copy, part.granules) : land_part(copy, part.granules);
  else
    reading ? take(copy) : land(copy);
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
