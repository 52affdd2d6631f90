#include "analysis/equality/field_run.h"

#include "interp/memory/layout.h"

namespace tessera {

template class shadow::ShadowRun<fields::FieldDomain>;

fields::Tile fields::FieldRun::result(BufferId buffer, int device) {
  const Layout layout(at().program().buffers[buffer]);
  return at().memory().read(at().home(buffer, device), buffer, layout.whole());
}

}  // namespace tessera
