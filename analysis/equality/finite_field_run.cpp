#include "analysis/equality/finite_field_run.h"

#include "interp/memory/layout.h"

namespace tessera {

template class shadow::ShadowRun<fields::FiniteFieldDomain>;

fields::Tile fields::FiniteFieldRun::result(BufferId buffer, int device) {
  const Layout layout(at().program().buffers[buffer]);
  return at().memory().read(at().owner(buffer, device), buffer, layout.whole());
}

}  // namespace tessera
