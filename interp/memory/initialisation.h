// Which elements of a memory are initialised, as tile ops see it: they ask where undefined elements
// come from and record what they write.
#pragma once
#include "core/program/ids.h"
#include "interp/memory/shadow.h"
#include "interp/memory/view.h"

namespace tessera {

// Where the source made an element undefined. `via`: the copy or tile op that brought
// it here.
struct Origin {
  PlaceId place;
  PlaceId via;
  bool operator==(const Origin&) const = default;
};

class Initialisation {
 public:
  virtual void initialise(const Box& box) = 0;
  // Elements with a clear bit of `mask` (row-major over the box) stay undefined, for that reason.
  virtual void initialise(const Box& box, const BitPlane& mask, Origin origin) = 0;
  virtual Index first_uninitialised(const Box& box) const = 0;  // requires that there is one
  virtual Origin origin(const Index& index) const = 0;          // of an undefined element

 protected:
  ~Initialisation() = default;
};

}  // namespace tessera
