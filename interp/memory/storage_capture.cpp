// Read side of copies. A snapshot of a large rectangle refers to its source instead of copying it.
#include <algorithm>

#include "interp/memory/snapshot_body.h"
#include "interp/memory/storage.h"
#include "interp/memory/storage_alias.h"

namespace tessera {
namespace {

constexpr std::int64_t min_deferred = 1024;  // bytes; for fewer, copying is cheaper than tracking
constexpr std::size_t max_parts = 8;

}  // namespace

Snapshot Storage::snapshot(const Box& box, bool carries) {
  return capture(box, Elements::all, carries && !is_idle());
}
Snapshot Storage::snapshot_stored(const Box& box, bool carries) {
  return capture(box, Elements::stored, carries && !is_idle());
}

Snapshot Storage::capture(const Box& box, Elements which, bool carries) {
  Snapshot snapshot;
  snapshot.body_ = std::make_unique<Snapshot::Body>();
  Snapshot::Body& body = *snapshot.body_;
  body.box = box;
  if (carries && which == Elements::all && !aliases_.empty()) {
    const std::vector<const Alias*> under = aliases_under(box);
    if (under.size() > 1) {
      body.view = layout_.view(box, buffer_.dtype);
      for (const Alias* alias : under) {
        auto& part = body.parts.emplace_back(std::make_unique<Snapshot::Body>());
        part->box = intersection(box, alias->box);
        part->view = alias->view(part->box);
        depend(*part, alias);
      }
      return snapshot;
    }
  }
  body.view = carries ? resolve(box) : layout_.view(box, buffer_.dtype);
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
      if (carries) poison(box);
      body.all_initialised = false;
      body.init = std::move(init);
      body.first_undefined = index_in(box, missing);
      body.origin = origin(body.first_undefined);
    }
  }
  if (!carries) return snapshot;
  if (!body.all_initialised || box.elements() * size_of(buffer_.dtype) < min_deferred) {
    body.take_copy();
    return snapshot;
  }
  depend(body, aliases_.empty() ? nullptr : alias_around(box));
  return snapshot;
}

// Registers `body`, a view of body.box, as a dependent of its root: this storage, or the root of
// the alias that contains the box.
void Storage::depend(Snapshot::Body& body, const Alias* alias) {
  const Box& box = body.box;
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
}

// Returns the aliases that together contain the whole box. Empty if there are more than max_parts,
// or if some bytes are in this storage.
std::vector<const Storage::Alias*> Storage::aliases_under(const Box& box) const {
  std::vector<const Alias*> found;
  std::int64_t missing = box.elements();
  for (const auto& alias : aliases_) {
    if (!intersects(alias->box, box)) continue;
    if (found.size() == max_parts) return {};
    found.push_back(alias.get());
    missing -= intersection(box, alias->box).elements();
  }
  if (missing != 0) found.clear();
  return found;
}

}  // namespace tessera
