// Initialisation of a memory's elements, as tile ops use it: they query the origin of undefined
// elements and record the elements that they write.
#pragma once
#include "core/program/ids.h"
#include "interp/memory/shadow.h"
#include "interp/memory/view.h"

namespace tessera {

// Place in the source that made an element undefined. `via`: the copy or tile op that copied it
// here.
struct Origin {
  PlaceId place;
  PlaceId via;
  bool operator==(const Origin&) const = default;
};

class Initialisation {
 public:
  // Makes all elements of the box defined.
  virtual void initialise(const Box& box) = 0;
  // Makes the elements with a set bit in `mask` (row-major over the box) defined, and the others
  // undefined with this origin.
  virtual void initialise(const Box& box, const BitPlane& mask, Origin origin) = 0;
  // Returns the first undefined element of the box, row-major. Requires that there is one.
  virtual Index first_uninitialised(const Box& box) const = 0;
  // Returns the origin of an undefined element.
  virtual Origin origin(const Index& index) const = 0;

 protected:
  ~Initialisation() = default;
};

}  // namespace tessera
