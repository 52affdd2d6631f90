// Storing what an op makes element by element.
#pragma once
#include "interp/running_error/error_run.h"

namespace tessera::running_error {

template <typename Make>
void ErrorRun::put_each(const Slice& dst, Make&& make) {
  Extents shape = beside::shape_of(box(dst));
  const DType dtype = type_of(dst);
  std::vector<Bound> bounds(static_cast<std::size_t>(beside::elements_of(shape)));
  for (std::size_t i = 0; i < bounds.size(); ++i) bounds[i] = rules_.rounded(dtype, make(i)).bound;
  put(dst, std::move(shape), std::move(bounds));
}

}  // namespace tessera::running_error
