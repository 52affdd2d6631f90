// A run over a field. The machine itself needs no arithmetic then.
#pragma once
#include "analysis/equality/domain.h"
#include "analysis/shadow/run.h"

namespace tessera {

extern template class shadow::ShadowRun<fields::FiniteFieldDomain>;

namespace fields {

class FiniteFieldRun final : public shadow::ShadowRun<FiniteFieldDomain> {
 public:
  using ShadowRun::ShadowRun;

  // The result of that name on a device; the machine is still there.
  Tile result(BufferId buffer, int device);
};

}  // namespace fields
}  // namespace tessera
