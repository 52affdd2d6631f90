// Write side of copies. Storing a snapshot that refers to its source creates an alias in scratch.
// The source's bytes do not change under an alias: writers detach it first.
#include "core/report/check.h"
#include "interp/memory/snapshot_body.h"
#include "interp/memory/storage.h"
#include "interp/memory/storage_alias.h"
#include "interp/tiles/tile_ops.h"

namespace tessera {
namespace {

// Maximum number of aliases of an hbm buffer. With more small copies into it, own bytes are faster.
constexpr std::size_t max_in_hbm = 64;

bool same_kept_sizes(const TileView& a, const TileView& b) {
  if (a.rank != b.rank) return false;
  for (int d = 0; d < a.rank; ++d) {
    if (a.size[Box::at(d)] != b.size[Box::at(d)]) return false;
  }
  return true;
}

}  // namespace

bool Storage::may_alias() const {
  if (bound_) return false;
  if (buffer_.space == Space::hbm) return aliases_.size() < max_in_hbm;
  return buffer_.space == Space::vmem || buffer_.space == Space::tile;
}

void Storage::add_alias(const Box& box, const Snapshot::Body& body) {
  is_changed_ = true;
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
  aliases_.push_back(std::move(alias));
  try {
    body.root->add_dependent(*aliases_.back());
  } catch (...) {  // out of memory: neither list has the alias
    aliases_.pop_back();
    throw;
  }
}

// Stores the bytes of a snapshot. Its sizes must equal the sizes of the box.
void Storage::put(const Box& box, const Snapshot::Body& source) {
  for (const auto& part : source.parts) put(counterpart(part->box, source.box, box), *part);
  if (source.root != nullptr && may_alias()) {
    add_alias(box, source);
  } else if (source.view.data != nullptr) {
    note_bytes();
    copy_elements(own_view(box), source.view);
  }
}

void Storage::land(const Box& box, const Snapshot& source, PlaceId place) {
  const Snapshot::Body& body = *source.body_;
  CHECK(same_kept_sizes(layout_.view(box, buffer_.dtype), body.view) &&
        body.view.dtype == buffer_.dtype);
  overwrite(box);  // may detach the source as well
  note_change(box);
  put(box, body);
  if (body.all_initialised)
    initialise(box);
  else
    initialise(box, body.init, {body.origin.place, place});
}

void Storage::land_add(const Box& box, const Snapshot& source, PlaceId place) {
  note_change(box);
  settle(box);
  detach(box);
  note_bytes();
  Snapshot::Body& body = *source.body_;
  body.join();
  TileView addend = body.view;
  if (!body.all_initialised) {
    body.init.spread();
    addend.init = body.init.words();
    addend.init_at = 0;
  }
  addend.owner = nullptr;
  const TileView sum = read(box);
  const Math math = body.carries() ? Math::exact : Math::none;
  tile::binary(tile::Binary::add, sum, sum, addend, {math, place});
  if (!body.all_initialised) undefined_.back().origin = {body.origin.place, place};
}

std::optional<Index> Storage::land_stored(const Box& box, const Snapshot& source, PlaceId place,
                                          std::int32_t core, std::int64_t since) {
  const Snapshot::Body& body = *source.body_;
  if (body.all_stored) {
    land(box, source, place);
    return mark_written_back(box, core, since);
  }
  note_change(box);
  settle(box);
  detach(box);
  if (body.carries()) note_bytes();
  const TileView to = own_view(box);
  CHECK(same_kept_sizes(to, body.view) && body.view.dtype == buffer_.dtype);
  std::optional<Index> revisited;
  const std::int64_t row = to.rank == 0 ? 1 : to.size[Box::at(to.rank - 1)];
  for (std::int64_t begin = 0; begin < body.stored.bits(); begin += row) {
    body.stored.for_each(begin, row, true, [&](std::int64_t at, std::int64_t length) {
      if (body.carries()) copy_elements(stretch(to, at, length), stretch(body.view, at, length));
      Box part = box;
      part.start = index_in(box, at);
      for (int d = box.rank, last = 1; d-- > 0;) {
        const bool along = box.keeps(d) && last != 0;
        part.size[Box::at(d)] = along ? length : 1;
        if (along) last = 0;
      }
      const auto again = mark_written_back(part, core, since);
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
