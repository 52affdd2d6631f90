// The halves of copies. A snapshot of a large rectangle names its source instead of copying it;
// landing it in scratch makes an alias. Bytes of a source never move under either: its writers
// detach them first.
#include "core/check.h"
#include "interp/memory.h"
#include "interp/memory_alias.h"
#include "interp/snapshot_body.h"
#include "interp/tile_ops.h"

namespace tessera {
namespace {

constexpr std::int64_t smallest_deferred =
    1024;  // bytes; below, copying is cheaper than keeping track

bool same_kept_sizes(const TileView& a, const TileView& b) {
  if (a.rank != b.rank) return false;
  for (int d = 0; d < a.rank; ++d) {
    if (a.size[Box::at(d)] != b.size[Box::at(d)]) return false;
  }
  return true;
}

}  // namespace

Snapshot Storage::snapshot(const Box& box) { return capture(box, Elements::all); }
Snapshot Storage::snapshot_stored(const Box& box) { return capture(box, Elements::stored); }

Snapshot Storage::capture(const Box& box, Elements which) {
  Snapshot snapshot;
  snapshot.body_ = std::make_unique<Snapshot::Body>();
  Snapshot::Body& body = *snapshot.body_;
  body.box = box;
  body.view = resolve(box);
  if (which == Elements::stored && slot_ && !all(stored_, box)) {
    body.all_stored = false;
    body.stored = gather(stored_, box);
  }
  if (!is_initialised(box)) {
    BitPlane init = gather(init_, box);
    std::int64_t missing = -1;
    const auto look = [&](std::int64_t begin, std::int64_t length) {
      if (missing < 0) missing = init.find(begin, length, false);
    };
    if (body.all_stored)
      look(0, init.bits());
    else
      body.stored.for_each(0, init.bits(), true, look);
    if (missing >= 0) {
      poison(box);
      body.all_initialised = false;
      body.init = std::move(init);
      body.first_undefined = index_in(box, missing);
      body.origin = origin(body.first_undefined);
    }
  }
  if (!body.all_initialised || box.elements() * size_of(buffer_.dtype) < smallest_deferred) {
    body.take_copy();
    return snapshot;
  }
  const Alias* alias = aliases_.empty() ? nullptr : alias_around(box);
  body.root_box = alias == nullptr ? box : alias->root_box;
  int kept = 0;
  for (int d = 0; d < box.rank; ++d) {
    const auto u = Box::at(d);
    const int root_dim = alias == nullptr ? d : alias->root_dim[u];
    if (alias != nullptr && root_dim >= 0) {
      body.root_box.start[Box::at(root_dim)] += box.start[u] - alias->box.start[u];
      body.root_box.size[Box::at(root_dim)] = box.size[u];
    }
    if (box.keeps(d)) body.root_dim[Box::at(kept++)] = static_cast<std::int8_t>(root_dim);
  }
  (alias == nullptr ? this : alias->root)->add_dependent(body);
  return snapshot;
}

void Storage::add_alias(const Box& box, const Snapshot& source) {
  const Snapshot::Body& body = *source.body_;
  auto alias = std::make_unique<Alias>();
  alias->owner = this;
  alias->box = box;
  alias->data = body.view.data;
  alias->root_box = body.root_box;
  alias->root_dim.fill(-1);
  int kept = 0;
  for (int d = 0; d < box.rank; ++d) {
    if (!box.keeps(d)) continue;
    alias->stride[Box::at(d)] = body.view.stride[Box::at(kept)];
    alias->root_dim[Box::at(d)] = body.root_dim[Box::at(kept)];
    ++kept;
  }
  alias->position = aliases_.size();
  body.root->add_dependent(*alias);
  aliases_.push_back(std::move(alias));
}

void Storage::land(const Box& box, const Snapshot& source, std::int32_t place) {
  const Snapshot::Body& body = *source.body_;
  CHECK(same_kept_sizes(layout_.view(box, buffer_.dtype), body.view) &&
        body.view.dtype == buffer_.dtype);
  overwrite(box);  // may detach the source as well
  const bool scratch = !bound_ && (buffer_.space == Space::vmem || buffer_.space == Space::tile);
  if (scratch && body.root != nullptr)
    add_alias(box, source);
  else
    copy_elements(own_view(box), body.view);
  if (body.all_initialised)
    initialise(box);
  else
    initialise(box, body.init, {body.origin.place, place});
}

void Storage::land_add(const Box& box, const Snapshot& source, std::int32_t place) {
  settle(box);
  detach(box);
  Snapshot::Body& body = *source.body_;
  TileView addend = body.view;
  if (!body.all_initialised) {
    body.init.spread();
    addend.init = body.init.words();
    addend.init_at = 0;
  }
  addend.owner = nullptr;
  const TileView sum = read(box);
  tile::binary(tile::Binary::add, sum, sum, addend, {Math::exact, place});
  if (!body.all_initialised) undefined_.back().origin = {body.origin.place, place};
}

std::optional<Index> Storage::land_stored(const Box& box, const Snapshot& source,
                                          std::int32_t place) {
  const Snapshot::Body& body = *source.body_;
  if (body.all_stored) {
    land(box, source, place);
    return mark_written_back(box);
  }
  settle(box);
  detach(box);
  const TileView to = own_view(box);
  CHECK(same_kept_sizes(to, body.view) && body.view.dtype == buffer_.dtype);
  std::optional<Index> revisited;
  const std::int64_t row = to.rank == 0 ? 1 : to.size[Box::at(to.rank - 1)];
  for (std::int64_t begin = 0; begin < body.stored.bits(); begin += row) {
    body.stored.for_each(begin, row, true, [&](std::int64_t at, std::int64_t length) {
      copy_elements(stretch(to, at, length), stretch(body.view, at, length));
      Box part = box;
      part.start = index_in(box, at);
      for (int d = box.rank, last = 1; d-- > 0;) {
        const bool along = box.keeps(d) && last != 0;
        part.size[Box::at(d)] = along ? length : 1;
        if (along) last = 0;
      }
      const auto again = mark_written_back(part);
      if (!revisited) revisited = again;
      if (body.all_initialised || body.init.all(at, length))
        initialise(part);
      else {
        BitPlane mask(length);
        body.init.for_each(at, length, true,
                           [&](std::int64_t i, std::int64_t n) { mask.set(i - at, n); });
        initialise(part, mask, {body.origin.place, place});
      }
    });
  }
  return revisited;
}

}  // namespace tessera
