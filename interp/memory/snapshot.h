// Read side of a copy: the contents of a rectangle when it was read. Large rectangles are not
// copied: the snapshot refers to the source, which detaches it before the bytes change.
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

// Object that depends on the current bytes of a rectangle of `root`.
struct Dependent {
  virtual void detach() = 0;  // copies the bytes and unregisters from `root`
  Storage* root = nullptr;
  Box root_box;
  std::size_t slot = 0;  // index in the root's list

 protected:
  ~Dependent() = default;
};

class Snapshot {
 public:
  Snapshot();
  Snapshot(Snapshot&&) noexcept;
  Snapshot& operator=(Snapshot&&) noexcept;
  ~Snapshot();

  bool empty() const { return body_ == nullptr; }  // no rectangle was captured
  // True if all elements (for a write-back: all stored elements) are defined, or if empty().
  bool initialised() const;
  // First undefined element, as an index in the source buffer, and its origin. Both require
  // !initialised().
  Index first_uninitialised() const;
  Origin origin() const;
  // The stored elements of a write-back, as disjoint boxes of the destination `dst`, which has the
  // kept sizes of the captured rectangle. Empty if empty().
  std::vector<Box> stored_boxes(const Box& dst) const;

  // Changes the shape to the shape of `to`, which has the same number of elements, in row-major
  // order. Not for write-backs.
  void reshape(const Box& to);

  // Saved state. restored() requires that the source has been restored first
  // (interp/memory/image.h).
  struct Image;
  Image save(const HeldBytes& held) const;
  static Snapshot restored(const Image& image);

 private:
  friend class Storage;
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace tessera
