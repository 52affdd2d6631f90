// Shadow execution with an error bound for each value.
#pragma once
#include "analysis/running_error/domain.h"
#include "analysis/shadow/run.h"

namespace tessera {

extern template class shadow::ShadowRun<running_error::ErrorDomain>;

namespace running_error {

class ErrorRun final : public shadow::ShadowRun<ErrorDomain> {
 public:
  using ShadowRun::ShadowRun;

  // Of a result on a device, in the order in which it is stored.
  std::vector<Bound> bounds(BufferId buffer, int device) const;
  // Of a rectangle where it is kept, as the run has come so far: row-major; empty: all are exact.
  std::vector<Bound> bounds(CoreIndex owner, BufferId buffer, const Box& box) const {
    return at().memory().raw(owner, buffer, box).bounds;
  }
  // Why a bound is not known, and where that began.
  Diag why(Bound unknown) const;
};

}  // namespace running_error
}  // namespace tessera
