// Tracking of the initialised, stored and written-back elements of a storage.
#include <algorithm>
#include <cstring>

#include "core/data/dtype_info.h"
#include "interp/memory/first_box.h"
#include "interp/memory/storage.h"
#include "interp/memory/storage_alias.h"

namespace tessera {
namespace {

// Maximum number of records per storage. The allocation's place replaces older records.
constexpr std::size_t max_origins = 64;

}  // namespace

bool Storage::all(const BitPlane& plane, const Box& box) const {
  if (plane.is_set()) return true;
  bool result = true;
  layout_.for_each_run(
      box, [&](std::int64_t at, std::int64_t n) { result = result && plane.all(at, n); });
  return result;
}

void Storage::assign(BitPlane& plane, const Box& box, bool value) {
  if (value ? plane.is_set() : plane.is_clear()) return;
  is_changed_ = true;
  layout_.for_each_run(box, [&](std::int64_t at, std::int64_t n) {
    if (value)
      plane.set(at, n);
    else
      plane.clear(at, n);
  });
}

BitPlane Storage::gather(const BitPlane& plane, const Box& box) const {
  BitPlane mask(box.elements());
  if (box.empty()) return mask;
  const TileView view = layout_.view(box, buffer_.dtype);
  const std::int64_t row = view.rank == 0 ? 1 : view.size[Box::at(view.rank - 1)];
  const std::int64_t step = view.rank == 0 ? 1 : view.stride[Box::at(view.rank - 1)];
  for (std::int64_t at = 0; at < mask.bits(); at += row) {
    const std::int64_t offset = layout_.offset(index_in(box, at));
    if (step == 1) {
      plane.for_each(offset, row, true,
                     [&](std::int64_t i, std::int64_t n) { mask.set(at + i - offset, n); });
    } else {
      for (std::int64_t i = 0; i < row; ++i) {
        if (plane.get(offset + i * step)) mask.put(at + i, true);
      }
    }
  }
  return mask;
}

void Storage::initialise(const Box& box) { assign(init_, box, true); }

void Storage::initialise(const Box& box, const BitPlane& mask, Origin origin) {
  if (!is_checked() || box.empty()) return;
  undefine(box, origin);
  const TileView view = layout_.view(box, buffer_.dtype);
  const std::int64_t row = view.rank == 0 ? 1 : view.size[Box::at(view.rank - 1)];
  const std::int64_t step = view.rank == 0 ? 1 : view.stride[Box::at(view.rank - 1)];
  for (std::int64_t at = 0; at < mask.bits(); at += row) {
    const std::int64_t offset = layout_.offset(index_in(box, at));
    mask.for_each(at, row, true, [&](std::int64_t i, std::int64_t n) {
      if (step == 1) return init_.set(offset + i - at, n);
      for (std::int64_t j = i; j < i + n; ++j) init_.put(offset + (j - at) * step, true);
    });
  }
}

bool Storage::is_initialised(const Box& box) const { return all(init_, box); }

bool Storage::is_undefined(const Box& box) const {
  if (init_.is_set() || init_.is_clear()) return init_.is_clear();
  bool result = true;
  layout_.for_each_run(box, [&](std::int64_t at, std::int64_t n) {
    result = result && init_.find(at, n, true) < 0;
  });
  return result;
}

Index Storage::first_uninitialised(const Box& box) const {
  return index_in(box, gather(init_, box).find(0, box.elements(), false));
}

Origin Storage::origin(const Index& index) const {
  const Box one = element(whole(), index);
  for (auto record = undefined_.rbegin(); record != undefined_.rend(); ++record) {
    if (contains(record->box, one)) return record->origin;
  }
  return {allocated_at_, {}};
}

void Storage::undefine(const Box& box, Origin origin) {
  if (!is_checked() || box.empty()) return;
  assign(init_, box, false);
  std::erase_if(undefined_, [&](const Undefined& record) { return contains(box, record.box); });
  is_changed_ = true;
  if (undefined_.size() == max_origins) undefined_.erase(undefined_.begin());
  undefined_.push_back({box, origin});
}

void Storage::poison(const Box& box) {
  if (is_idle()) return;
  note_bytes();
  const std::uint64_t bits = dtype_info(buffer_.dtype).undefined;
  const auto unit = static_cast<std::size_t>(size_of(buffer_.dtype));
  std::byte* data = own_data();
  layout_.for_each_run(box, [&](std::int64_t begin, std::int64_t length) {
    init_.for_each(begin, length, false, [&](std::int64_t at, std::int64_t n) {
      std::byte* p = data + at * static_cast<std::int64_t>(unit);
      for (std::int64_t i = 0; i < n; ++i, p += unit) std::memcpy(p, &bits, unit);
    });
  });
}

void Storage::mark_stored(const Box& box) {
  if (!slot_ && !is_fork_) [[likely]]
    return;
  if (slot_) assign(stored_, box, true);
  note_change(box);
}

void Storage::note_change(const Box& box) {
  if (is_fork_) assign(changed_, box, true);
}

void Storage::fresh(const Box& box, PlaceId place) {
  overwrite(box);
  note_change(box);
  slot_ = is_changed_ = true;
  assign(stored_, box, false);
  undefine(box, {place, {}});
}

void Storage::zero(const Box& box) {
  if (box.empty()) return;
  overwrite(box);
  note_change(box);
  initialise(box);
  if (is_idle()) return;
  note_bytes();
  std::byte* data = own_data();
  const std::int64_t unit = size_of(buffer_.dtype);
  layout_.for_each_run(box, [&](std::int64_t at, std::int64_t n) {
    std::memset(data + at * unit, 0, static_cast<std::size_t>(n * unit));
  });
}

// Zeroes the parts before and after `inside`, one dimension at a time.
void Storage::pad(const Box& slot, const Box& inside) {
  if (same_rectangle(slot, inside)) return;
  if (inside.empty()) return zero(slot);
  Box rest = slot;
  for (int d = 0; d < slot.rank; ++d) {
    const auto u = Box::at(d);
    Box part = rest;
    part.size[u] = inside.start[u] - rest.start[u];
    zero(part);
    part.start[u] = inside.end(d);
    part.size[u] = rest.end(d) - inside.end(d);
    zero(part);
    rest.start[u] = inside.start[u];
    rest.size[u] = inside.size[u];
  }
}

void Storage::once(std::int32_t core, BufferId slot) {
  end_once(core, slot);
  is_changed_ = true;
  const auto after = written_back_.upper_bound({core, newest});
  const bool is_first = after == written_back_.begin() || std::prev(after)->first.first != core;
  const std::int64_t number = is_first ? 0 : std::prev(after)->first.second + 1;
  written_back_.emplace(std::pair(core, number),
                        WrittenBack{.plane = BitPlane(layout_.elements), .slot = slot});
}

void Storage::end_once(std::int32_t core, BufferId slot) {
  auto it = written_back_.lower_bound({core, 0});
  while (it != written_back_.end() && it->first.first == core) {
    const bool ends = it->second.slot == slot && !it->second.is_over;
    is_changed_ |= ends;
    it->second.is_over |= ends;
    it = ends && it->second.pending == 0 ? written_back_.erase(it) : std::next(it);
  }
}

Storage::WrittenBacks::iterator Storage::newest_once(std::int32_t core) {
  for (auto it = written_back_.upper_bound({core, newest}); it != written_back_.begin();) {
    --it;
    if (it->first.first != core) break;
    if (!it->second.is_over) return it;
  }
  return written_back_.end();
}

std::int64_t Storage::start_write_back(std::int32_t core) {
  const auto it = newest_once(core);
  if (it == written_back_.end()) return unjudged;
  is_changed_ = true;
  ++it->second.pending;
  return it->first.second;
}

void Storage::end_write_back(std::int32_t core, std::int64_t since) {
  const auto it = written_back_.find({core, since});
  if (it == written_back_.end()) return;
  is_changed_ = true;
  if (--it->second.pending == 0 && it->second.is_over) written_back_.erase(it);
}

// Does not compare write-backs of different cores: these are checked as races.
std::optional<Index> Storage::mark_written_back(const Box& box, std::int32_t core,
                                                std::int64_t since) {
  const auto it = since == newest ? newest_once(core) : written_back_.find({core, since});
  if (it == written_back_.end() || !is_checked()) return std::nullopt;
  is_changed_ = true;
  BitPlane& plane = it->second.plane;
  std::int64_t found = -1;
  layout_.for_each_run(box, [&](std::int64_t at, std::int64_t n) {
    if (found < 0) found = plane.find(at, n, true);
    plane.set(at, n);
  });
  if (found < 0) return std::nullopt;
  return layout_.index(found);
}

std::optional<NeverWritten> Storage::never_written() const {
  const std::optional<Box> first = first_box(layout_, init_, false);
  if (!first) return std::nullopt;
  return NeverWritten{*first, layout_.elements - init_.count()};
}

}  // namespace tessera
