#include "analysis/running_error/error_run.h"

#include "interp/memory/layout.h"

namespace tessera {

template class shadow::ShadowRun<running_error::ErrorDomain>;

namespace running_error {

std::vector<Bound> ErrorRun::bounds(BufferId buffer, int device) const {
  const Layout layout(at().program().buffers[buffer]);
  const std::vector<Bound> whole = bounds(at().owner(buffer, device), buffer, layout.whole());
  std::vector<Bound> stored(static_cast<std::size_t>(layout.elements), 0);
  if (whole.empty()) return stored;
  for (std::size_t i = 0; i < stored.size(); ++i)
    stored[i] = whole[static_cast<std::size_t>(
        position_in(layout.whole(), layout.index(static_cast<std::int64_t>(i))))];
  return stored;
}

Diag ErrorRun::why(Bound unknown) const {
  const Reasons::Reason& reason = domain().reasons().of(unknown);
  const Program& program = at().program();
  const Loc loc = reason.statement ? program.loc(program.body[reason.statement].place) : Loc();
  return {ErrorCode::unsupported, loc, reason.text, {}};
}

}  // namespace running_error
}  // namespace tessera
