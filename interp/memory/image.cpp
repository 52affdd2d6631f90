#include "interp/memory/image.h"

namespace tessera {

Snapshot::Image Snapshot::Image::of(const Body& body, const HeldBytes& held) {
  Image image{.is_empty = false,
              .view = body.view,
              .has_copy = body.copy != nullptr,
              .root = RootImage::of(body, body.view.data),
              .root_dim = body.root_dim,
              .box = body.box,
              .all_initialised = body.all_initialised,
              .all_stored = body.all_stored,
              .init = body.init.save(nullptr, held),
              .stored = body.stored.save(nullptr, held),
              .first_undefined = body.first_undefined,
              .origin = body.origin};
  if (image.has_copy)
    image.copy =
        ByteImage(body.copy.get(), body.view.elements() * size_of(body.view.dtype), nullptr, held);
  image.view.data = nullptr;
  image.view.owner = nullptr;
  for (const auto& part : body.parts) image.parts.push_back(of(*part, held));
  return image;
}

std::unique_ptr<Snapshot::Body> Snapshot::Image::body() const {
  auto made = std::make_unique<Body>();
  made->view = view;
  made->root_dim = root_dim;
  made->box = box;
  made->all_initialised = all_initialised;
  made->all_stored = all_stored;
  made->init.restore(init);
  made->stored.restore(stored);
  made->first_undefined = first_undefined;
  made->origin = origin;
  if (has_copy) {
    const std::int64_t bytes = view.elements() * size_of(view.dtype);
    made->copy = std::make_unique_for_overwrite<std::byte[]>(
        static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
    copy.put(made->copy.get());
    made->view.data = made->copy.get();
  }
  if (root.root != nullptr) {
    made->root_box = root.box;
    made->view.data = root.data();
    root.root->add_dependent(*made);
  }
  for (const Image& part : parts) made->parts.push_back(part.body());
  return made;
}

Snapshot::Image Snapshot::save(const HeldBytes& held) const {
  return empty() ? Image{} : Image::of(*body_, held);
}

Snapshot Snapshot::restored(const Image& image) {
  Snapshot snapshot;
  if (!image.is_empty) snapshot.body_ = image.body();
  return snapshot;
}

Storage::SharedImage Storage::save(const HeldBytes& held) {
  const bool has_new_bytes = has_new_bytes_ || gives_cells_ || image_ == nullptr;
  if (!is_changed_ && !has_new_bytes) return image_;
  auto image = std::make_shared<Image>();
  const Image* const before = image_.get();
  image->is_live = live_;
  image->is_slot = slot_;
  image->allocated_at = allocated_at_;
  image->undefined = undefined_;
  // The bytes of operands do not change.
  image->has_bytes = data_ != nullptr && !(bound_ && buffer_.role == Role::in);
  if (image->has_bytes)
    image->bytes = has_new_bytes
                       ? ByteImage(data_, bytes(), before ? &before->bytes : nullptr, held)
                       : before->bytes;
  image->init = init_.save(before ? &before->init : nullptr, held);
  image->stored = stored_.save(before ? &before->stored : nullptr, held);
  for (const auto& [key, written] : written_back_) {
    const BitPlane::Image* known = nullptr;
    if (before != nullptr)
      if (const auto it = before->written_back.find(key); it != before->written_back.end())
        known = &it->second.plane;
    image->written_back.emplace(
        key, Image::OfWrittenBack{written.plane.save(known, held), written.pending, written.slot,
                                  written.is_over});
  }
  for (const auto& alias : aliases_)
    image->aliases.push_back(
        {alias->box, RootImage::of(*alias, alias->data), alias->stride, alias->root_dim});
  image_ = std::move(image);
  is_changed_ = has_new_bytes_ = false;
  return image_;
}

void Storage::restore(const SharedImage& image) {
  const bool has_new_bytes = has_new_bytes_ || gives_cells_ || image_ == nullptr;
  if (image == image_ && !is_changed_ && !has_new_bytes) return;
  live_ = image->is_live;
  slot_ = image->is_slot;
  allocated_at_ = image->allocated_at;
  undefined_ = image->undefined;
  init_.restore(image->init);
  stored_.restore(image->stored);
  written_back_.clear();
  for (const auto& [key, written] : image->written_back) {
    WrittenBack& again = written_back_[key];
    again.plane.restore(written.plane);
    again.pending = written.pending;
    again.slot = written.slot;
    again.is_over = written.is_over;
  }
  if (image->has_bytes) {
    const bool is_known = !has_new_bytes && data_ != nullptr && image_->has_bytes;
    if (!is_known || image != image_)
      image->bytes.put(own_data(), is_known ? &image_->bytes : nullptr);
  } else if (!bound_) {
    owned_.reset();
    data_ = nullptr;
  }
  gives_cells_ = false;
  image_ = image;
  is_changed_ = has_new_bytes_ = false;
}

void Storage::restore_aliases(const Image& image) {
  for (const Image::OfAlias& from : image.aliases) {
    auto alias = std::make_unique<Alias>();
    alias->owner = this;
    alias->box = from.box;
    alias->data = from.root.data();
    alias->stride = from.stride;
    alias->root_dim = from.root_dim;
    alias->root_box = from.root.box;
    alias->position = aliases_.size();
    aliases_.push_back(std::move(alias));
    from.root.root->add_dependent(*aliases_.back());
  }
}

void Storage::stand_alone() {
  settle(whole());
  detach(whole());
}

}  // namespace tessera
