#include "interp/machine/copy_engine.h"

#include <fmt/format.h>

#include <utility>

#include "interp/findings/describe.h"
#include "interp/findings/uninitialised.h"
#include "interp/machine/machine.h"

namespace tessera {

void CopyEngine::move(Copy& copy, const CopyPart& part) {
  const bool reading = part.side == CopyPart::Side::read;
  const EventKind kind = reading     ? EventKind::read
                         : copy.adds ? EventKind::accumulate
                                     : EventKind::write;
  if (copy.read == 0) copy.first = part.first;
  if (!reach(copy, reading ? copy.src : copy.dst, kind)) return;
  if (copy.is_partial())
    reading ? take_part(copy, part.granules) : land_part(copy, part.granules);
  else
    reading ? take(copy) : land(copy);
}

bool CopyEngine::reach(Copy& copy, const Region& region, EventKind kind) {
  const CoreState& owner = machine_.core_state(region.core);
  const std::int64_t lifetime = owner.lives[region.buffer];
  const bool is_own = region.core == machine_.topology().of(copy.id);
  if (!region.storage->is_live() || (is_own && lifetime != region.generation)) {
    const std::string what = slice_text(machine_.program(), region.buffer, region.box);
    const Space space = region.storage->buffer().space;
    const std::string whose =
        is_own ? what : fmt::format("{} of {}", what, machine_.topology().name(region.core, space));
    const bool is_over = lifetime > 0;
    machine_.stop(
        FindingKind::lifetime,
        fmt::format("a copy {} {}, which {}", kind == EventKind::read ? "reads" : "writes", whose,
                    is_over ? "no longer exists" : "does not exist yet"),
        copy.id, copy.statement);
    return false;
  }
  if (!machine_.observes()) return true;
  const auto emit_of = [&](const Box& box) {
    Event event{.kind = kind,
                .object_kind = ObjectKind::buffer,
                .agent = copy.id,
                .index = copy.events++,
                .agent_step = copy.steps,
                .statement = copy.statement,
                .core = region.core,
                .object = region.buffer,
                .box = &box};
    machine_.emit(event);
  };
  // A write-back writes only elements that were stored.
  if (copy.kind != CopyKind::write_back || kind != EventKind::write) {
    emit_of(region.box);
  } else {
    const Snapshot& stored = copy.staging ? copy.staging->stored : copy.data;
    for (const Box& box : stored.stored_boxes(region.box)) emit_of(box);
  }
  return true;
}

void CopyEngine::take(Copy& copy) {
  const bool stored_only = copy.kind == CopyKind::write_back;
  const bool carries = !copy.dst.storage->is_idle();
  copy.data = stored_only ? copy.src.storage->snapshot_stored(copy.src.box, carries)
                          : copy.src.storage->snapshot(copy.src.box, carries);
  if (!same_kept_sizes(copy.src.box, copy.dst.box)) copy.data.reshape(copy.dst.box);
  if (machine_.options().checks.uninitialised != Uninitialised::strict || copy.data.initialised())
    return;
  machine_.stop(uninitialised_finding(machine_.program(), machine_.findings(), "read", copy.src,
                                      copy.data.first_uninitialised(), copy.data.origin(), copy.id,
                                      copy.statement),
                copy.id, copy.statement);
}

void CopyEngine::land(Copy& copy) {
  if (!keeps_result_defined(copy, copy.data, {})) return;
  land(copy, copy.dst.box, copy.data);
  if (copy.kind == CopyKind::write_back) copy.dst.storage->end_write_back(copy.id.core, copy.since);
}

bool CopyEngine::keeps_result_defined(const Copy& copy, const Snapshot& data, const Index& from) {
  const bool is_result = copy.dst.storage->buffer().role == Role::out;
  if (!is_result || machine_.options().checks.uninitialised != Uninitialised::use ||
      data.initialised())
    return true;
  Index missing = data.first_uninitialised();
  for (std::size_t d = 0; d < missing.size(); ++d) missing[d] += from[d];
  machine_.stop(undefined_result_finding(machine_.program(), machine_.findings(), copy.src,
                                         copy.dst, missing, data.origin(), copy.id, copy.statement),
                copy.id, copy.statement);
  return false;
}

void CopyEngine::land(Copy& copy, const Box& box, const Snapshot& data) {
  const PlaceId place = machine_.program().place_of(copy.statement);
  if (copy.adds) {
    copy.dst.storage->land_add(box, data, place);
  } else if (copy.kind != CopyKind::write_back) {
    copy.dst.storage->land(box, data, place);
  } else if (const auto again =
                 copy.dst.storage->land_stored(box, data, place, copy.id.core, copy.since)) {
    machine_.stop(FindingKind::revisit,
                  fmt::format("write_back of {} to {} stores {} a second time",
                              slice_text(machine_.program(), copy.src.buffer, copy.src.box),
                              slice_text(machine_.program(), copy.dst.buffer, copy.dst.box),
                              element_text(machine_.program(), copy.dst.buffer, *again)),
                  copy.id, copy.statement);
  }
}

}  // namespace tessera
