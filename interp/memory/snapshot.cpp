#include "interp/memory/snapshot.h"

#include <algorithm>

#include "interp/memory/snapshot_body.h"
#include "interp/memory/storage.h"

namespace tessera {

Snapshot::Snapshot() = default;
Snapshot::Snapshot(Snapshot&&) noexcept = default;
Snapshot& Snapshot::operator=(Snapshot&&) noexcept = default;
Snapshot::~Snapshot() = default;

bool Snapshot::initialised() const { return body_ == nullptr || body_->all_initialised; }
Index Snapshot::first_uninitialised() const { return body_->first_undefined; }
Origin Snapshot::origin() const { return body_->origin; }

namespace {

// Appends `next` to `box` if it continues `box` in one dimension and has the same extent in the
// others. Returns false otherwise.
bool extend(Box& box, const Box& next) {
  int along = -1;
  for (int d = 0; d < box.rank; ++d) {
    const std::size_t i = Box::at(d);
    if (box.start[i] == next.start[i] && box.size[i] == next.size[i]) continue;
    if (along >= 0 || box.end(d) != next.start[i]) return false;
    along = d;
  }
  if (along < 0) return false;
  box.size[Box::at(along)] += next.size[Box::at(along)];
  return true;
}

}  // namespace

std::vector<Box> Snapshot::stored_boxes(const Box& dst) const {
  if (body_ == nullptr) return {};
  if (body_->all_stored) return {dst};
  std::vector<Box> boxes;
  int last = dst.rank - 1;  // innermost kept dimension: the row
  while (last >= 0 && !dst.keeps(last)) --last;
  const std::int64_t row = last < 0 ? 1 : dst.size[Box::at(last)];
  for (std::int64_t begin = 0; begin < body_->stored.bits(); begin += row) {
    body_->stored.for_each(begin, row, true, [&](std::int64_t at, std::int64_t length) {
      Box part = dst;
      part.start = index_in(dst, at);
      for (int d = 0; d < dst.rank; ++d) part.size[Box::at(d)] = d == last ? length : 1;
      if (boxes.empty() || !extend(boxes.back(), part)) boxes.push_back(part);
    });
  }
  return boxes;
}

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

void Snapshot::Body::join() {
  if (parts.empty()) return;
  const std::int64_t bytes = box.elements() * size_of(view.dtype);
  copy = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
  const TileView to = compact(copy.get(), view);
  for (const auto& part : parts) {
    TileView there = to;
    there.size = part->view.size;
    for (int d = 0, kept = 0; d < box.rank; ++d) {
      if (!box.keeps(d)) continue;
      const std::int64_t before = part->box.start[Box::at(d)] - box.start[Box::at(d)];
      there.data += before * to.stride[Box::at(kept++)] * size_of(to.dtype);
    }
    copy_elements(there, part->view);
  }
  view = to;
  parts.clear();
}

void Snapshot::reshape(const Box& to) {
  if (body_ != nullptr) body_->reshape(to);
}

// The owned bytes are row-major.
void Snapshot::Body::reshape(const Box& to) {
  join();
  if (root != nullptr) detach();
  TileView shape = view;
  shape.rank = 0;
  for (int d = 0; d < to.rank; ++d)
    if (to.keeps(d)) shape.size[Box::at(shape.rank++)] = to.size[Box::at(d)];
  view = compact(view.data, shape);
}

void Snapshot::Body::detach() {
  take_copy();
  root->remove_dependent(*this);
}

}  // namespace tessera
