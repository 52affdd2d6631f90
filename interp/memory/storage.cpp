#include "interp/memory/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/data/convert.h"
#include "core/host/host_memory.h"
#include "core/report/check.h"
#include "interp/memory/storage_alias.h"

namespace tessera {
namespace {

constexpr std::size_t alignment = 64;

}  // namespace

Storage::Storage(const Buffer& buffer, Checks checks, Contents contents)
    : buffer_(buffer),
      layout_(buffer),
      checks_(checks),
      contents_(contents),
      owned_(nullptr, std::free) {}

Storage::Storage(const Buffer& buffer, Tensor& bound, Checks checks, Contents contents)
    : Storage(buffer, checks, contents) {
  CHECK(bound.dtype() == buffer.dtype && bound.elements() == layout_.elements);
  bound_ = true;
  live_ = true;
  if (!is_idle()) data_ = bound.data();
  allocated_at_ = buffer.place;
  reset_planes(!is_checked() || buffer.role != Role::out);
}

Storage::~Storage() {
  if (live_) release();
}

void Storage::allocate(PlaceId place) {
  CHECK(!bound_ && !live_);
  live_ = true;
  slot_ = false;
  allocated_at_ = place;
  reset_planes(!is_checked());
}

void Storage::reset_planes(bool initialised) {
  note_bytes();
  init_ = BitPlane(layout_.elements);
  stored_ = BitPlane(layout_.elements);
  written_back_.clear();
  init_.fill(initialised);
}

void Storage::release() {
  detach(whole());
  drop_aliases();
  undefined_.clear();
  reset_planes(false);
  owned_.reset();
  data_ = nullptr;
  live_ = false;
}

void Storage::drop_aliases() {
  while (!aliases_.empty()) drop(*aliases_.back());
}

// Zeroed unless Contents::plain, so that reads of undefined elements return the same in every run
// even without checks. calloc allocates the pages of large buffers at their first access.
std::byte* Storage::own_data() {
  if (data_ == nullptr) {
    note_bytes();
    const std::size_t size = static_cast<std::size_t>(bytes()) + alignment;
    auto* raw = static_cast<std::byte*>(contents_ != Contents::plain ? std::calloc(size, 1)
                                                                     : std::malloc(size));
    if (raw == nullptr)
      throw NoMemory(fmt::format("`{}` of a simulated core", buffer_.name), bytes());
    owned_.reset(raw);
    const auto past = reinterpret_cast<std::uintptr_t>(raw) % alignment;
    data_ = raw + (alignment - past) % alignment;
  }
  return data_;
}

TileView Storage::own_view(const Box& box) {
  TileView view = layout_.view(box, buffer_.dtype);
  view.owner = this;
  if (is_idle() || (box.empty() && !live_)) return view;
  view.data = own_data();
  if (!box.empty()) view.data += layout_.offset(box.start) * size_of(buffer_.dtype);
  return view;
}

TileView Storage::resolve(const Box& box) {
  if (!aliases_.empty()) {
    if (const Alias* alias = alias_around(box)) return alias->view(box);
    settle(box);
  }
  return own_view(box);
}

TileView Storage::read(const Box& box) {
  TileView view = resolve(box);
  if (is_initialised(box)) return view;
  poison(box);
  init_.spread();
  view.init = init_.words();
  view.init_at = layout_.offset(box.start);
  return view;
}

TileView Storage::write(const Box& box) {
  if (contents_ == Contents::kept) {
    settle(box);
    detach(box);
  } else {
    overwrite(box);
  }
  mark_stored(box);
  note_bytes();
  return own_view(box);
}

TileView Storage::update(const Box& box) {
  settle(box);
  detach(box);
  mark_stored(box);
  note_bytes();
  return read(box);
}

std::byte* Storage::element_address(const Box& box) {
  if (!is_initialised(box)) poison(box);
  return resolve(box).data;
}

std::int64_t Storage::load_integer(const Box& box) {
  return tessera::load_integer(element_address(box), buffer_.dtype);
}

std::int64_t* Storage::cells() {
  if (!live_ || is_fork_ || !aliases_.empty() || !dependents_.empty() || !is_initialised(whole()))
    return nullptr;
  gives_cells_ = true;
  return reinterpret_cast<std::int64_t*>(own_data());
}

std::byte* Storage::numbers() {
  if (!live_ || is_fork_ || is_idle() || buffer_.space != Space::smem) return nullptr;
  gives_cells_ = true;
  return own_data();
}

float Storage::load_real(const Box& box) {
  return static_cast<float>(load_element(element_address(box), buffer_.dtype));
}

bool Storage::store_integer(const Box& box, std::int64_t value) {
  alignas(8) std::byte converted[8];
  if (!tessera::store_integer(converted, buffer_.dtype, value)) return false;
  std::copy_n(converted, size_of(buffer_.dtype), write(box).data);
  initialise(box);
  return true;
}

void Storage::store_real(const Box& box, double value) {
  store_element(write(box).data, buffer_.dtype, value);
  initialise(box);
}

void Storage::add_dependent(Dependent& dependent) {
  dependents_.push_back(&dependent);  // first: if this throws, the dependent is in no list
  dependent.root = this;
  dependent.slot = dependents_.size() - 1;
}

void Storage::remove_dependent(Dependent& dependent) {
  dependents_.back()->slot = dependent.slot;
  dependents_[dependent.slot] = dependents_.back();
  dependents_.pop_back();
  dependent.root = nullptr;
}

// Iterates backwards: removal moves the last entry, which was already visited, into the gap.
void Storage::detach(const Box& box) {
  for (std::size_t i = dependents_.size(); i-- > 0;) {
    if (intersects(dependents_[i]->root_box, box)) dependents_[i]->detach();
  }
}

Storage::Alias* Storage::alias_around(const Box& box) const {
  for (const auto& alias : aliases_) {
    if (contains(alias->box, box)) return alias.get();
  }
  return nullptr;
}

void Storage::settle(const Box& box) {
  for (std::size_t i = aliases_.size(); i-- > 0;) {
    if (intersects(aliases_[i]->box, box)) aliases_[i]->detach();
  }
}

void Storage::overwrite(const Box& box) {
  detach(box);
  if (!aliases_.empty()) is_changed_ = true;
  for (std::size_t i = aliases_.size(); i-- > 0;) {
    if (!intersects(aliases_[i]->box, box)) continue;
    if (contains(box, aliases_[i]->box))
      drop(*aliases_[i]);
    else
      aliases_[i]->detach();
  }
}

void Storage::drop(const Alias& alias) {
  const std::size_t position = alias.position;
  alias.root->remove_dependent(*aliases_[position]);
  aliases_[position] = std::move(aliases_.back());
  aliases_.pop_back();
  if (position < aliases_.size()) aliases_[position]->position = position;
}

TileView Storage::Alias::view(const Box& part) const {
  TileView result;
  result.dtype = owner->buffer_.dtype;
  result.data = data;
  result.owner = owner;
  result.box = part;
  for (int d = 0; d < part.rank; ++d) {
    const auto u = Box::at(d);
    if (!part.empty())
      result.data += (part.start[u] - box.start[u]) * stride[u] * size_of(result.dtype);
    if (!part.keeps(d)) continue;
    result.size[Box::at(result.rank)] = part.size[u];
    result.stride[Box::at(result.rank)] = stride[u];
    ++result.rank;
  }
  return result;
}

void Storage::Alias::detach() {
  owner->note_bytes();
  copy_elements(owner->own_view(box), view(box));
  owner->drop(*this);
}

}  // namespace tessera
