// Run over a finite field. The machine itself needs no arithmetic.
#pragma once
#include "analysis/equality/domain.h"
#include "analysis/shadow/run.h"

namespace tessera {

extern template class shadow::ShadowRun<fields::FiniteFieldDomain>;

namespace fields {

class FiniteFieldRun final : public shadow::ShadowRun<FiniteFieldDomain> {
 public:
  using ShadowRun::ShadowRun;

  // Returns the values of a result buffer on a device, row-major, after the run; refusal() must be
  // empty. Must be called before the machine is destroyed.
  Tile result(BufferId buffer, int device);
};

}  // namespace fields
}  // namespace tessera
