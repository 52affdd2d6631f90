// Starts of copies. Their steps are in step_copy (machine/machine_copies.cpp).
#include <fmt/format.h>

#include <bit>

#include "core/passes/at_once.h"
#include "interp/findings/describe.h"
#include "interp/findings/uninitialised.h"
#include "interp/machine/loop_indices.h"
#include "interp/machine/machine.h"

namespace tessera {
namespace {

// The bytes of the whole rectangle, which the semaphores count.
std::int64_t bytes_of(const Region& region) {
  return region.box.elements() * size_of(region.storage->buffer().dtype);
}

std::string text_of(Core& core, const Region& region) {
  return slice_text(core.machine().program(), region.buffer, region.box);
}

// Rules for all copies: equal shapes (equal numbers of elements if the copy reshapes), one element
// type, and no overlap.
bool can_copy(Core& core, const Region& src, const Region& dst, bool reshapes) {
  const DType from = src.storage->buffer().dtype, to = dst.storage->buffer().dtype;
  if (from != to) {
    core.fail(FindingKind::unsupported,
              fmt::format("copy of {} ({}) to {} ({}), expected one element type",
                          text_of(core, src), name(from), text_of(core, dst), name(to)));
  } else if (reshapes ? src.box.elements() != dst.box.elements()
                      : !same_kept_sizes(src.box, dst.box)) {
    core.fail(FindingKind::out_of_bounds,
              fmt::format("copy of {} to {}, expected {}", text_of(core, src), text_of(core, dst),
                          reshapes ? "as many elements" : "equal shapes"));
  } else if (src.storage == dst.storage && intersects(src.box, dst.box)) {
    core.fail(
        FindingKind::race,
        fmt::format("copy of {} to {}, which overlap: expected a destination outside the source",
                    text_of(core, src), text_of(core, dst)));
  }
  return !core.stopped();
}

// Reports a copy to another device that the machine of the profile does not support. The copy
// starts anyway, so that the rest of the program is analysed.
void check_reach(Core& core, const Region& dst) {
  const MachineProfile& profile = core.machine().options().machine.profile;
  const Space space = dst.storage->buffer().space;
  const std::int32_t here = core.id().device, device = core.machine().topology().device(dst.core);
  // The links form a ring, so the distance in the other direction counts as well.
  const auto distance = static_cast<std::uint64_t>(device > here ? device - here : here - device);
  const std::uint64_t around =
      static_cast<std::uint64_t>(core.machine().topology().devices) - distance;
  if ((space == Space::vmem && !profile.remote_vmem) ||
      (space == Space::smem && !profile.remote_smem)) {
    core.report_once(FindingKind::unsupported,
                     fmt::format("remote copy to {}: on {} no remote copy can write to {}",
                                 text_of(core, dst), profile.name, name(space)));
  } else if (space == Space::tile) {
    core.report_once(
        FindingKind::unsupported,
        fmt::format("remote copy to {}, which is in tile registers", text_of(core, dst)));
  } else if (profile.power_of_two_routes && distance != 0 && !std::has_single_bit(distance) &&
             !std::has_single_bit(around)) {
    core.report_once(FindingKind::unsupported,
                     fmt::format("profile {} sends copies only to devices whose "
                                 "number differs by a power of two, and {} and {} "
                                 "differ by {}; `gmm-run list` shows profiles without "
                                 "this limit",
                                 profile.name, here, device, distance));
  }
}

// A copy of no elements has no effect: its memory, device and semaphores are not checked.
bool moves_nothing(const Core& core, const Slice& src, const Slice& dst) {
  return core.box(src).empty() && core.box(dst).empty();
}

Step start(Core& core, Copy copy) {
  copy.id = core.id();
  copy.id.dma = core.next_copy();
  copy.statement = core.statement();
  if (core.machine().observes())
    read_loops(core.machine().program(), copy.statement, core.registers().data(), copy.loops);
  core.emit({.kind = EventKind::start, .amount = copy.bytes, .token = copy.id.dma});
  core.machine().start(std::move(copy));
  return Step::next;
}

// Copies synchronously as an op of the core: reads and writes in this step, and signals nothing.
Step move_at_once(Core& core, CopyKind kind, const Region& src, const Region& dst) {
  Machine& machine = core.machine();
  const auto tell = [&](EventKind event, const Region& region, const Box& box) {
    core.emit({.kind = event,
               .object_kind = ObjectKind::buffer,
               .core = region.core,
               .object = region.buffer,
               .amount = event == EventKind::read ? bytes_of(src) : 0,
               .box = &box});
  };
  machine.stats().dma_bytes += bytes_of(src);
  tell(EventKind::read, src, src.box);
  const bool stored_only = kind == CopyKind::write_back, carries = !dst.storage->is_idle();
  const Snapshot data = stored_only ? src.storage->snapshot_stored(src.box, carries)
                                    : src.storage->snapshot(src.box, carries);
  const Uninitialised policy = machine.options().checks.uninitialised;
  const bool is_result = dst.storage->buffer().role == Role::out;
  if (!data.initialised() &&
      (policy == Uninitialised::strict || (policy == Uninitialised::use && is_result))) {
    machine.stop(uninitialised_finding(machine.program(), machine.findings(),
                                       is_result ? "copy" : "read", src, data.first_uninitialised(),
                                       data.origin(), core.id(), core.statement()),
                 core.id(), core.statement());
    return Step::stop;
  }
  const PlaceId place = core.stmt().place;
  if (!stored_only) {
    tell(EventKind::write, dst, dst.box);
    dst.storage->land(dst.box, data, place);
    return Step::next;
  }
  if (machine.observes())
    for (const Box& box : data.stored_boxes(dst.box)) tell(EventKind::write, dst, box);
  const std::int32_t by = core.id().core;
  const std::int64_t since = dst.storage->start_write_back(by);
  if (const auto again = dst.storage->land_stored(dst.box, data, place, by, since))
    core.fail(FindingKind::revisit,
              fmt::format("write_back of {} to {} stores {} a second time", text_of(core, src),
                          text_of(core, dst), element_text(machine.program(), dst.buffer, *again)));
  dst.storage->end_write_back(by, since);
  return core.stopped() ? Step::stop : Step::next;
}

Step start_local(Core& core, CopyKind kind, const Slice& src, const Slice& dst, const Slice& sem,
                 bool adds, bool reshapes) {
  if (moves_nothing(core, src, dst)) return Step::next;
  const CoreIndex here = core.index();
  Copy copy{.kind = kind, .adds = adds};
  copy.src = core.locate(src, here, "read");
  if (!core.stopped()) copy.dst = core.locate(dst, here, "write");
  const bool at_once = is_at_once(core.machine().program(), core.stmt().op);
  if (!core.stopped() && !at_once) copy.arrived = core.locate_sem(sem, here, "signal");
  if (core.stopped() || !can_copy(core, copy.src, copy.dst, reshapes)) return Step::stop;
  if (at_once) return move_at_once(core, kind, copy.src, copy.dst);
  copy.bytes = bytes_of(copy.src);
  if (kind == CopyKind::write_back) copy.since = copy.dst.storage->start_write_back(core.id().core);
  return start(core, std::move(copy));
}

}  // namespace

Step exec(const Start& op, Core& core) {
  return start_local(core, CopyKind::local, op.src, op.dst, op.sem, op.add != 0, op.reshaped != 0);
}

Step exec(const WriteBack& op, Core& core) {
  const bool is_whole = core.machine().options().machine.profile.block_write_backs;
  return start_local(core, is_whole ? CopyKind::local : CopyKind::write_back, op.src, op.dst,
                     op.sem, false, false);
}

Step exec(const StartRemote& op, Core& core) {
  if (moves_nothing(core, op.src, op.dst)) return Step::next;
  const CoreIndex here = core.index();
  CoreIndex there = here;
  Copy copy{.kind = CopyKind::remote, .adds = op.add != 0};
  copy.src = core.locate(op.src, here, "read");
  if (!core.stopped()) there = core.target(op.dst, op.device, op.core, "write");
  if (!core.stopped()) copy.dst = core.locate(op.dst, there, "write");
  if (!core.stopped()) copy.sent = core.locate_sem(op.sent, here, "signal");
  if (!core.stopped()) copy.arrived = core.locate_sem(op.arrived, there, "signal");
  if (core.stopped() || !can_copy(core, copy.src, copy.dst, op.reshaped != 0)) return Step::stop;
  check_reach(core, copy.dst);
  copy.bytes = bytes_of(copy.src);
  return start(core, std::move(copy));
}

}  // namespace tessera
