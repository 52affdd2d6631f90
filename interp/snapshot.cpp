#include "interp/snapshot.h"

#include <algorithm>

#include "interp/memory.h"
#include "interp/snapshot_body.h"

namespace tessera {

Snapshot::Snapshot() = default;
Snapshot::Snapshot(Snapshot&&) noexcept = default;
Snapshot& Snapshot::operator=(Snapshot&&) noexcept = default;
Snapshot::~Snapshot() = default;

bool Snapshot::initialised() const { return body_ == nullptr || body_->all_initialised; }
Index Snapshot::first_uninitialised() const { return body_->first_undefined; }
Origin Snapshot::origin() const { return body_->origin; }

Snapshot::Body::~Body() {
  if (root != nullptr) root->remove_dependent(*this);
}

void Snapshot::Body::take_copy() {
  const std::int64_t bytes = view.elements() * size_of(view.dtype);
  copy = std::make_unique_for_overwrite<std::byte[]>(
      static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
  const TileView to = compact(copy.get(), view);
  copy_elements(to, view);
  view = to;
}

void Snapshot::Body::detach() {
  take_copy();
  root->remove_dependent(*this);
}

}  // namespace tessera
