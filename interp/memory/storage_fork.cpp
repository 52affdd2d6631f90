// Scratch of a loop worker: the copy of the core's scratch, and the update of the core's scratch
// afterwards.
#include <algorithm>

#include "interp/memory/snapshot_body.h"
#include "interp/memory/storage.h"
#include "interp/memory/storage_alias.h"

namespace tessera {

Storage::Storage(Forked, Storage& from) : Storage(from.buffer_, from.checks_, from.contents_) {
  if (!from.live_) return;
  allocate(from.allocated_at_);
  const bool has_bytes = from.data_ != nullptr || !from.aliases_.empty();
  if (has_bytes && !is_idle()) {
    const Snapshot all = from.snapshot(whole());
    put(whole(), *all.body_);
  }
  init_ = from.init_.copy();
  stored_ = from.stored_.copy();
  undefined_ = from.undefined_;
  slot_ = from.slot_;
  is_fork_ = true;
  changed_ = BitPlane(layout_.elements);
}

void Storage::lose(const Storage& fork, PlaceId place) {
  if (!fork.is_fork_ || fork.changed_.is_clear()) return;
  settle(whole());
  note_bytes();
  Box around;  // bounding box of the stored elements
  fork.changed_.for_each(0, layout_.elements, true, [&](std::int64_t begin, std::int64_t length) {
    if (is_checked()) init_.clear(begin, length);
    for (const std::int64_t end : {begin, begin + length - 1}) {
      const Box one = element(whole(), layout_.index(end));
      if (around.rank == 0) around = one;
      for (std::size_t d = 0; d < static_cast<std::size_t>(layout_.rank); ++d) {
        const std::int64_t last = std::max(around.start[d] + around.size[d], one.start[d] + 1);
        around.start[d] = std::min(around.start[d], one.start[d]);
        around.size[d] = last - around.start[d];
      }
    }
  });
  if (is_checked()) undefined_.push_back({around, {place, {}}});
}

}  // namespace tessera
