// The data of partial copies passes through a staging buffer of the copy.
#include "interp/findings/uninitialised.h"
#include "interp/machine/copy_engine.h"
#include "interp/machine/machine.h"

namespace tessera {
namespace {

// Rectangles of the source that contain `count` granules, after the first `done` granules of the
// copy.
std::vector<Box> part_of(const Copy& copy, std::int64_t done, std::int64_t count) {
  const std::int64_t each = copy.granule / size_of(copy.src.storage->buffer().dtype);
  const std::int64_t all = copy.src.box.elements();
  const std::int64_t begin = (copy.first + done) % copy.granules, end = begin + count;
  std::vector<Box> boxes =
      rectangles(copy.src.box, begin * each, std::min(std::min(end, copy.granules) * each, all));
  if (end > copy.granules) {
    const std::vector<Box> rest = rectangles(copy.src.box, 0, (end - copy.granules) * each);
    boxes.insert(boxes.end(), rest.begin(), rest.end());
  }
  return boxes;
}

}  // namespace

void CopyEngine::take_part(Copy& copy, std::int64_t granules) {
  Storage& src = *copy.src.storage;
  const bool is_write_back = copy.kind == CopyKind::write_back;
  if (copy.staging == nullptr) {
    const bool is_idle = src.is_idle() || copy.dst.storage->is_idle();
    copy.staging = std::make_unique<Staging>(
        copy.src, machine_.options().checks.enabled ? Checks::on : Checks::off,
        is_idle ? Contents::idle : Contents::zeroed);
    // The elements that a write-back writes are determined at its begin.
    if (is_write_back) {
      copy.staging->stored = src.snapshot_stored(copy.src.box, false);
      copy.staging->stored_boxes = copy.staging->stored.stored_boxes(copy.src.box);
    }
  }
  const PlaceId place = machine_.program().place_of(copy.statement);
  for (const Box& box : part_of(copy, copy.read, granules)) {
    const Snapshot data = src.snapshot(box, !copy.staging->storage.is_idle());
    const Snapshot& needed = is_write_back ? copy.staging->stored : data;
    if (machine_.options().checks.uninitialised == Uninitialised::strict && !needed.initialised())
      return machine_.stop(uninitialised_finding(machine_.program(), machine_.findings(), "read",
                                                 copy.src, needed.first_uninitialised(),
                                                 needed.origin(), copy.id, copy.statement),
                           copy.id, copy.statement);
    copy.staging->storage.land(copy.staging->local(box), data, place);
  }
}

void CopyEngine::land_part(Copy& copy, std::int64_t granules) {
  Staging& staging = *copy.staging;
  const auto write = [&](const Box& part) {
    for (const auto& [box, to] : counterparts(part, copy.src.box, copy.dst.box)) {
      Snapshot data = staging.storage.snapshot(staging.local(box));
      if (!keeps_result_defined(copy, data, staging.box.start)) return;
      if (!same_kept_sizes(box, to)) data.reshape(to);
      land(copy, to, data);
    }
  };
  for (const Box& box : part_of(copy, copy.written, granules)) {
    if (copy.kind != CopyKind::write_back) write(box);
    for (const Box& stored : staging.stored_boxes)
      if (intersects(box, stored)) write(intersection(box, stored));
    if (machine_.stopped()) return;
  }
  if (copy.kind == CopyKind::write_back && copy.written + granules == copy.granules)
    copy.dst.storage->end_write_back(copy.id.core, copy.since);
}

}  // namespace tessera
