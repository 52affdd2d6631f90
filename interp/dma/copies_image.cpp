#include "interp/dma/copies_image.h"

namespace tessera {
namespace {

Copy without_data(const Copy& copy) {
  return {.id = copy.id,
          .kind = copy.kind,
          .adds = copy.adds,
          .statement = copy.statement,
          .loops = copy.loops,
          .serial = copy.serial,
          .events = copy.events,
          .steps = copy.steps,
          .bytes = copy.bytes,
          .granules = copy.granules,
          .granule = copy.granule,
          .read = copy.read,
          .written = copy.written,
          .first = copy.first,
          .since = copy.since,
          .src = copy.src,
          .dst = copy.dst,
          .sent = copy.sent,
          .arrived = copy.arrived,
          .next_in_lane = copy.next_in_lane,
          .previous_pending = {copy.previous_pending[0], copy.previous_pending[1]},
          .next_pending = {copy.next_pending[0], copy.next_pending[1]}};
}

}  // namespace

// A staging buffer ends with its copy, so no other image may depend on it (settle_staging()).
Copies::Image Copies::save(const HeldBytes& held) {
  Image image{.slots = slots_.size(), .free = free_, .lanes = lanes_};
  for (const std::int32_t slot : slots()) {
    const Copy& copy = at(slot);
    Image::OfCopy& saved = image.used.emplace_back(Image::OfCopy{slot, without_data(copy)});
    saved.data = copy.data.save(held);
    if (copy.staging == nullptr) continue;
    Staging& staging = *copy.staging;
    saved.staging = {staging.storage.is_idle(), staging.storage.save(held),
                     staging.stored.save(held), staging.stored_boxes};
  }
  return image;
}

void Copies::settle_staging() {
  for (const std::int32_t slot : slots())
    if (at(slot).staging != nullptr) at(slot).staging->storage.stand_alone();
}

void Copies::restore(const Image& image, Checks checks) {
  slots_.resize(image.slots);
  free_ = image.free;
  lanes_ = image.lanes;
  in_flight_ = static_cast<std::int64_t>(image.used.size());
  for (const Image::OfCopy& saved : image.used) {
    Copy& copy = at(saved.slot) = without_data(saved.copy);
    copy.data = Snapshot::restored(saved.data);
    if (!saved.staging) continue;
    copy.staging = std::make_unique<Staging>(
        copy.src, checks, saved.staging->is_idle ? Contents::idle : Contents::zeroed);
    copy.staging->storage.restore(saved.staging->storage);
    copy.staging->stored = Snapshot::restored(saved.staging->stored);
    copy.staging->stored_boxes = saved.staging->stored_boxes;
  }
}

}  // namespace tessera
