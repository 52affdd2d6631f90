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

  // Returns the bounds of all elements of a result on a device, in the order in which they are
  // stored. Must be called after the run; refusal() must be empty.
  std::vector<Bound> bounds(BufferId buffer, int device) const;
  // Returns the current bounds of a rectangle in the memory of `owner`, row-major; empty: all
  // elements are exact.
  std::vector<Bound> bounds(CoreIndex owner, BufferId buffer, const Box& box) const {
    return at().memory().raw(owner, buffer, box).bounds;
  }
  // Returns the reason why a bound is not known, as ErrorCode::unsupported with the source location
  // of the cause, which is empty for memory that was never written. unknown: a bound that is not
  // known.
  Diag why(Bound unknown) const;
};

}  // namespace running_error
}  // namespace tessera
