// An undefined element without storage, for a read outside the memory.
#pragma once
#include "core/report/check.h"
#include "interp/memory/initialisation.h"

namespace tessera {

class UndefinedElement final : public Initialisation {
 public:
  explicit UndefinedElement(PlaceId read) : read_(read) {}
  void initialise(const Box&) override { CHECK(false); }
  void initialise(const Box&, const BitPlane&, Origin) override { CHECK(false); }
  Index first_uninitialised(const Box&) const override { return {}; }
  Origin origin(const Index&) const override { return {read_, {}}; }

  // View of the element. Must not outlive this object.
  TileView view(DType dtype) {
    static constexpr std::uint64_t bits = 0;
    static std::byte zero[8] = {};
    TileView view;
    view.data = zero;
    view.dtype = dtype;
    view.init = &bits;
    view.owner = this;
    return view;
  }

 private:
  PlaceId read_;
};

}  // namespace tessera
