// What copies do: a read half and a write half, each whole or, when it signals and landing is
// partial, in two parts. Of two parts the first signals all but the last granule; the data moves
// with the second.
#include <fmt/format.h>

#include <limits>

#include "core/check.h"
#include "interp/describe.h"
#include "interp/machine.h"
#include "interp/uninitialised.h"

namespace tessera {
namespace {

constexpr std::int64_t most_counts = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();

}  // namespace

void Core::signal(const SemId& sem, std::int64_t count) {
  machine_.signal(sem, count, id_, statement(), steps_, events_);
}

// By a core, or by a half of a copy.
void Machine::signal(const SemId& sem, std::int64_t amount, const AgentId& by,
                     std::int32_t statement, std::int64_t agent_step, std::int64_t& events) {
  const Semaphores& owner = site(sem.site).semaphores;
  const auto text = [&] {
    return fmt::format("{} of {}", cell_text(program_, sem.semaphore, sem.cell),
                       numbers_.name(sem.site));
  };
  if (!owner.is_counted(sem.semaphore)) {
    stop(FindingKind::lifetime,
         fmt::format("signal of {}, which {}", text(),
                     owner.was_live(sem.semaphore) ? "no longer exists" : "does not exist yet"),
         by, statement);
    return;
  }
  SemCell& target = cell(sem);
  const bool bytes =
      program_.semaphores[static_cast<std::size_t>(sem.semaphore)].kind == SemKind::bytes;
  const std::int64_t most = bytes ? most_bytes : most_counts;
  if (amount > most - target.count) {
    stop(FindingKind::semaphore_overflow,
         fmt::format("signal of {} by {} leaves its range: it has {}, and at most {} fit", text(),
                     amount, target.count, most),
         by, statement);
    return;
  }
  target.count += amount;
  if (is_told_) {
    note_loops(target.tally(statement, numbers_.of(by), false, amount), by);
    Event event{.kind = EventKind::signal,
                .object_kind = ObjectKind::semaphore,
                .agent = by,
                .index = events++,
                .agent_step = agent_step,
                .statement = statement,
                .site = sem.site,
                .object = sem.semaphore,
                .cell = sem.cell,
                .amount = amount};
    tell(event);
  }
  if (target.waiter == nobody) return;
  Core& core = site(target.waiter).core;
  if (target.count < core.need().count) return;
  target.waiter = nobody;
  core.unblock();
  std::erase(blocked_, core.site());
  ready_.add_core(core.site(), is_slow(core.id().device));
}

void Machine::count_wait(const SemId& sem, std::int64_t amount, const Core& by) {
  if (is_told_) note_loops(cell(sem).tally(by.statement(), by.site(), true, amount), by.id());
}

void Machine::note_loops(Tally& tally, const AgentId& by) {
  if (moving_ != nullptr)
    tally.loops = moving_->loops;
  else
    read_loops(program_, tally.statement, site(numbers_.of(by)).core.registers().data(),
               tally.loops);
}

void Machine::start(Copy copy) {
  stats_.dma_bytes += copy.bytes;
  copy.serial = starts_++;
  const bool slow = is_slow(copy.id.device);
  const bool remote = copy.kind == CopyKind::remote;
  const SemId sent = copy.sent, arrived = copy.arrived;
  const std::int64_t serial = copy.serial;
  bool may_move = true;
  const std::int32_t slot = copies_.add(std::move(copy), may_move);
  if (remote) copies_.add_pending(cell(sent), slot, 0);
  copies_.add_pending(cell(arrived), slot, 1);
  if (may_move) ready_.add_copy(handle(slot), slow, serial);
}

// A half of a copy reaches a rectangle: does it still exist, as the one it was?
bool Machine::reach(Copy& copy, const Region& region, EventKind kind) {
  if (copy.bytes == 0) return true;
  const Site& owner = site(region.site);
  const std::int64_t life = owner.lives[static_cast<std::size_t>(region.buffer)];
  const bool is_own = region.site == numbers_.of(copy.id);
  if (!region.storage->is_live() || (is_own && life != region.life)) {
    const std::string what = slice_text(program_, region.buffer, region.box);
    const Space space = region.storage->buffer().space;
    const std::string whose =
        is_own ? what : fmt::format("{} of {}", what, numbers_.name(region.site, space));
    const bool is_over = life > 0;
    stop(FindingKind::lifetime,
         fmt::format("a copy {} {}, which {}", kind == EventKind::read ? "reads" : "writes", whose,
                     is_over ? "no longer exists" : "does not exist yet"),
         copy.id, copy.statement);
    return false;
  }
  if (!is_told_) return true;
  const auto tell_of = [&](const Box& box) {
    Event event{.kind = kind,
                .object_kind = ObjectKind::buffer,
                .agent = copy.id,
                .index = copy.events++,
                .agent_step = copy.steps,
                .statement = copy.statement,
                .site = region.site,
                .object = region.buffer,
                .box = &box};
    tell(event);
  };
  // A write-back writes what was stored, nothing else.
  if (copy.kind != CopyKind::write_back || kind != EventKind::write) {
    tell_of(region.box);
  } else {
    for (const Box& box : copy.data.stored_boxes(region.box)) tell_of(box);
  }
  return true;
}

void Machine::take(Copy& copy) {
  if (copy.bytes == 0) return;
  const bool stored_only = copy.kind == CopyKind::write_back;
  const bool carries = !copy.dst.storage->is_idle();
  copy.data = stored_only ? copy.src.storage->snapshot_stored(copy.src.box, carries)
                          : copy.src.storage->snapshot(copy.src.box, carries);
  if (options_.uninitialised != Uninitialised::strict || copy.data.initialised()) return;
  stop(uninitialised_finding(program_, "read", copy.src, copy.data.first_uninitialised(),
                             copy.data.origin(), copy.id, copy.statement),
       copy.id, copy.statement);
}

void Machine::land(Copy& copy) {
  if (copy.bytes == 0) return;
  const bool is_result = copy.dst.storage->buffer().role == Role::out;
  if (is_result && options_.uninitialised == Uninitialised::use && !copy.data.initialised()) {
    Finding finding =
        uninitialised_finding(program_, "copy", copy.src, copy.data.first_uninitialised(),
                              copy.data.origin(), copy.id, copy.statement);
    finding.message =
        fmt::format("copy of {} to {} takes {}, which is undefined, into the result",
                    slice_text(program_, copy.src.buffer, copy.src.box),
                    slice_text(program_, copy.dst.buffer, copy.dst.box),
                    element_text(program_, copy.src.buffer, copy.data.first_uninitialised()));
    return stop(std::move(finding), copy.id, copy.statement);
  }
  const std::int32_t place = program_.body[static_cast<std::size_t>(copy.statement)].place;
  if (copy.adds) {
    copy.dst.storage->land_add(copy.dst.box, copy.data, place);
  } else if (copy.kind != CopyKind::write_back) {
    copy.dst.storage->land(copy.dst.box, copy.data, place);
  } else if (const auto again = copy.dst.storage->land_stored(copy.dst.box, copy.data, place,
                                                              copy.id.core, copy.since)) {
    stop(FindingKind::revisit,
         fmt::format("write_back of {} to {} stores {} a second time",
                     slice_text(program_, copy.src.buffer, copy.src.box),
                     slice_text(program_, copy.dst.buffer, copy.dst.box),
                     element_text(program_, copy.dst.buffer, *again)),
         copy.id, copy.statement);
  }
}

// One event of a copy. True when it was the last.
bool Machine::step_copy(std::int32_t slot) {
  Copy& copy = copies_.at(slot);
  const bool reading = copy.is_reading;
  const bool signals = !reading || copy.kind == CopyKind::remote;
  const std::int64_t granule = options_.profile.dma_granule;
  const bool split = options_.landing == Landing::partial && signals && copy.bytes > granule;
  const bool is_last_part = !split || copy.has_part;
  const EventKind kind = reading     ? EventKind::read
                         : copy.adds ? EventKind::accumulate
                                     : EventKind::write;
  if (!reach(copy, reading ? copy.src : copy.dst, kind)) return false;
  if (is_last_part) reading ? take(copy) : land(copy);
  if (stopped_) return false;
  if (signals) {
    const SemId& sem = reading ? copy.sent : copy.arrived;
    const std::int64_t amount = !split          ? copy.bytes
                                : copy.has_part ? granule
                                                : copy.bytes - granule;
    if (is_last_part) copies_.remove_pending(cell(sem), slot, reading ? 0 : 1);
    signal(sem, amount, copy.id, copy.statement, copy.steps, copy.events);
    if (stopped_) return false;
  }
  ++copy.steps;
  copy.has_part = !is_last_part;
  if (!is_last_part) return false;
  copy.is_reading = false;
  return !reading;
}

}  // namespace tessera
