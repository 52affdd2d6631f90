// The read half of a copy: what a rectangle held when it was read. Large rectangles are not copied;
// the snapshot names the source, which hands over the bytes before it changes.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "interp/memory/byte_image.h"
#include "interp/memory/initialisation.h"
#include "interp/memory/shadow.h"
#include "interp/memory/view.h"

namespace tessera {

class Storage;

// Something that still depends on the bytes of a rectangle of `root` as they are now.
struct Dependent {
  virtual void detach() = 0;  // takes a copy and leaves `root`
  Storage* root = nullptr;
  Box root_box;
  std::size_t slot = 0;  // position in the root's list

 protected:
  ~Dependent() = default;
};

class Snapshot {
 public:
  Snapshot();
  Snapshot(Snapshot&&) noexcept;
  Snapshot& operator=(Snapshot&&) noexcept;
  ~Snapshot();

  bool empty() const { return body_ == nullptr; }  // nothing was taken
  bool initialised() const;           // every element (for a write-back: every stored one)
  Index first_uninitialised() const;  // an index of the source's buffer
  Origin origin() const;              // of that element
  // The stored elements of a write-back as rectangles of `dst`, where they land.
  std::vector<Box> stored_boxes(const Box& dst) const;

  // The same elements, row by row, under the shape of `to`, which has as many; not of a write-back.
  void reshape(const Box& to);

  // What it holds, to be made again when its source holds what it did (interp/memory/image.h).
  struct Image;
  Image save(const HeldBytes& held) const;
  static Snapshot restored(const Image& image);

 private:
  friend class Storage;
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace tessera
